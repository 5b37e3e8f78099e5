"""Client metadata, from a registration or from the client's own document; pure.

Source: RFC 7591, section 2, and the draft on client ID metadata documents.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from unicodedata import category

from visual_review.accounts.invisible_characters import is_invisible
from visual_review.accounts.oauth.redirects import find_redirect_error

NAME_LENGTH: Final = 80
MAX_REDIRECTS: Final = 20
# More combining marks than any language uses would overlap the lines around.
MAX_MARKS: Final = 3
UNNAMED: Final = "Unnamed client"
# All clients are public: a client asking for a secret is registered without one.
AUTHENTICATION_METHODS: Final = ("none", "client_secret_basic", "client_secret_post")


class ClientMetadataError(Exception):
    """The metadata cannot be accepted; ``code`` is the error of RFC 7591, 3.2.2."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class ClientMetadata:
    name: str
    redirects: tuple[str, ...]


def parse_registration(metadata: Mapping[str, Any], schemes: Iterable[str]) -> ClientMetadata:
    """Parse a client registration; raises ClientMetadataError. Unknown members are ignored."""
    _check_flow(metadata)
    method = metadata.get("token_endpoint_auth_method", "none")
    if method not in AUTHENTICATION_METHODS:
        raise _metadata_error("token_endpoint_auth_method must be 'none'.")
    redirects = _redirects(metadata)
    for url in redirects:
        reason = find_redirect_error(url, schemes)
        if reason:
            raise ClientMetadataError("invalid_redirect_uri", reason)
    return ClientMetadata(client_name(metadata.get("client_name")), tuple(redirects))


def parse_document(metadata: Mapping[str, Any], schemes: Iterable[str]) -> ClientMetadata:
    """Parse a client ID metadata document; raises ClientMetadataError.

    The result has only acceptable redirect URIs: a document is for many services.
    """
    _check_flow(metadata)
    if metadata.get("token_endpoint_auth_method", "none") != "none":
        raise _metadata_error("token_endpoint_auth_method must be 'none' in a metadata document.")
    if "client_secret" in metadata or "client_secret_expires_at" in metadata:
        raise _metadata_error("A public metadata document must not contain a client_secret.")
    redirects = [
        each for each in _redirects(metadata) if find_redirect_error(each, schemes) is None
    ]
    if not redirects:
        raise ClientMetadataError(
            "invalid_redirect_uri", "None of the redirect URIs can be used here."
        )
    return ClientMetadata(client_name(metadata.get("client_name")), tuple(redirects))


def client_name(text: object) -> str:
    """Return the name to show for a client."""
    return (shown_name(text) if isinstance(text, str) else "") or UNNAMED


def shown_name(text: str) -> str:
    """Return ``text`` as one visible line of limited length; empty if nothing is visible."""
    shown = " ".join("".join(_visible(text)).split())
    return shown if len(shown) <= NAME_LENGTH else shown[: NAME_LENGTH - 1] + "…"


def _visible(text: str) -> Iterator[str]:
    marks = 0
    for each in text:
        marks = marks + 1 if category(each).startswith("M") else 0
        # Invisible characters could reverse the sentence around the name.
        if not each.isprintable() or is_invisible(each):
            yield " "
        elif marks <= MAX_MARKS:
            yield each


def _redirects(metadata: Mapping[str, Any]) -> list[str]:
    redirects = metadata.get("redirect_uris")
    if not isinstance(redirects, list) or not 1 <= len(redirects) <= MAX_REDIRECTS:
        raise ClientMetadataError(
            "invalid_redirect_uri", f"redirect_uris must be a list of 1 to {MAX_REDIRECTS} URIs."
        )
    return redirects


def _check_flow(metadata: Mapping[str, Any]) -> None:
    # Both members may be omitted, and other values are not granted.
    for member, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        values = metadata.get(member, [needed])
        if not isinstance(values, list) or needed not in values:
            raise _metadata_error(f"{member} must contain '{needed}'.")


def _metadata_error(message: str) -> ClientMetadataError:
    return ClientMetadataError("invalid_client_metadata", message)
