"""What a client may say of itself, by registration or in its own document; pure.

Source: RFC 7591, section 2, and the draft on client ID metadata documents.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import category

from visual_review.accounts.oauth.redirects import refusal

NAME_LENGTH: Final = 80
MAX_REDIRECTS: Final = 20
# Letters and symbols by their class, but nothing is seen of them.
SHAPELESS: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
# More on one letter than any language has would grow over the lines around.
MARKS: Final = 3
UNNAMED: Final = "Unnamed client"
# All clients are public; one that would rather have a secret is told that it gets none.
AUTHENTICATION: Final = ("none", "client_secret_basic", "client_secret_post")


class ClientRefusedError(Exception):
    """The metadata cannot be accepted; ``code`` is the error of RFC 7591, 3.2.2."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class ClientFacts:
    name: str
    redirects: tuple[str, ...]


def registered(metadata: Mapping[str, Any], schemes: Iterable[str]) -> ClientFacts:
    """The client that registers itself so; raises ClientRefusedError. Unknown members pass."""
    _check_flow(metadata)
    method = metadata.get("token_endpoint_auth_method", "none")
    if method not in AUTHENTICATION:
        raise _refused("The only token_endpoint_auth_method is 'none'.")
    redirects = _redirects(metadata)
    for address in redirects:
        reason = refusal(address, schemes)
        if reason:
            raise ClientRefusedError("invalid_redirect_uri", reason)
    return ClientFacts(client_name(metadata.get("client_name")), tuple(redirects))


def documented(metadata: Mapping[str, Any], schemes: Iterable[str]) -> ClientFacts:
    """The client that a document describes; raises ClientRefusedError.

    Redirects that are not accepted here are left out: a document serves many services.
    """
    _check_flow(metadata)
    if metadata.get("token_endpoint_auth_method", "none") != "none":
        raise _refused("A client with a document has the token_endpoint_auth_method 'none'.")
    if "client_secret" in metadata or "client_secret_expires_at" in metadata:
        raise _refused("A document that everybody can read holds no client_secret.")
    redirects = [each for each in _redirects(metadata) if refusal(each, schemes) is None]
    if not redirects:
        raise ClientRefusedError("invalid_redirect_uri", "No redirect address is acceptable.")
    return ClientFacts(client_name(metadata.get("client_name")), tuple(redirects))


def client_name(text: object) -> str:
    """The name as it is shown."""
    return (shown_name(text) if isinstance(text, str) else "") or UNNAMED


def shown_name(text: str) -> str:
    """``text`` as one line of bounded length that can be seen; empty where nothing can."""
    shown = " ".join("".join(_visible(text)).split())
    return shown if len(shown) <= NAME_LENGTH else shown[: NAME_LENGTH - 1] + "…"


def _visible(text: str) -> Iterator[str]:
    marks = 0
    for each in text:
        marks = marks + 1 if category(each).startswith("M") else 0
        # Invisible characters could turn the sentence around that the name stands in.
        if not each.isprintable() or each in SHAPELESS:
            yield " "
        elif marks <= MARKS:
            yield each


def _redirects(metadata: Mapping[str, Any]) -> list[str]:
    redirects = metadata.get("redirect_uris")
    if not isinstance(redirects, list) or not 1 <= len(redirects) <= MAX_REDIRECTS:
        raise ClientRefusedError(
            "invalid_redirect_uri", f"redirect_uris is a list of 1 to {MAX_REDIRECTS} addresses."
        )
    return redirects


def _check_flow(metadata: Mapping[str, Any]) -> None:
    # Both members may be left out, and further values are simply not granted.
    for member, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        values = metadata.get(member, [needed])
        if not isinstance(values, list) or needed not in values:
            raise _refused(f"{member} must contain '{needed}'.")


def _refused(message: str) -> ClientRefusedError:
    return ClientRefusedError("invalid_client_metadata", message)
