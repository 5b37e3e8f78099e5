"""Redirect URIs: which URIs clients may register, and which URIs then match; pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

MAX_LENGTH: Final = 2000
# Schemes of clients known to need one. Any program on a machine can claim such a scheme, so the
# list is closed and the consent page warns.
PRIVATE_SCHEMES: Final = (
    "claude",
    "code-oss",
    "cursor",
    "goose",
    "kiro",
    "lmstudio",
    "raycast",
    "trae",
    "vscode",
    "vscode-insiders",
    "vscodium",
    "warp",
    "windsurf",
    "zed",
)
# URL parsers disagree on other characters, and no client needs them.
_PRINTABLE: Final = re.compile(r"[!-~]+")
_PRIVATE: Final = re.compile(r"[a-z][a-z0-9.+-]*:/[^/]|[a-z][a-z0-9.+-]*://[^/]")
_PORT = r"(?::([1-9][0-9]{0,4}))?(?=[/?]|\Z)"
# The whole authority, since Python's parser ignores anything after a bracket.
_HTTPS: Final = re.compile(
    r"https://(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])" + _PORT
)
_LOOPBACK: Final = re.compile(r"(http://(?:127\.0\.0\.1|localhost|\[::1\]))" + _PORT)
_MAX_PORT: Final = 65535
# The response adds the same parameters; a client might read the wrong one of two (RFC 6749, 3.1).
_RESPONSE_PARAMETERS: Final = frozenset({"code", "state", "iss", "error", "error_description"})

Kind = Literal["https", "loopback", "private"]


@dataclass(frozen=True)
class Redirect:
    """A redirect URI for display: ``host`` is a host, or a scheme when ``private``."""

    url: str
    kind: Kind
    host: str


def parse_redirect(url: str) -> Redirect:
    """Parse a redirect URI accepted by ``find_redirect_error``."""
    parts = urlsplit(url)
    if parts.scheme == "https":
        return Redirect(url, "https", parts.hostname or "")
    if parts.scheme == "http":
        return Redirect(url, "loopback", parts.hostname or "")
    return Redirect(url, "private", f"{parts.scheme}:")


def find_redirect_error(url: object, schemes: Iterable[str]) -> str | None:
    """Return why a client may not register the URI, or None; ``schemes`` are the private ones."""
    if not isinstance(url, str) or not 1 <= len(url) <= MAX_LENGTH:
        return f"A redirect URI must have 1 to {MAX_LENGTH} characters."
    if not _PRINTABLE.fullmatch(url) or set(url) & set('\\"<>^`{|}'):
        return "A redirect URI must consist of printable ASCII characters, without spaces."
    if "#" in url:
        return "A redirect URI must not have a fragment."
    try:
        parts = urlsplit(url)
        # Python parses the port on reading ``port``, and raises for an invalid one.
        _ = parts.port
    except ValueError:
        return "The redirect URI is not a valid URL."
    return _find_parts_error(parts) or _find_scheme_error(url, parts.scheme, schemes)


def _find_parts_error(parts: SplitResult) -> str | None:
    if "@" in parts.netloc:
        return "A redirect URI must not contain a user name."
    if _RESPONSE_PARAMETERS.intersection(
        name for name, _ in parse_qsl(parts.query, keep_blank_values=True)
    ):
        return (
            "The query of a redirect URI must not contain parameters of the response, such as "
            "'state'."
        )
    return None


def _find_scheme_error(url: str, scheme: str, schemes: Iterable[str]) -> str | None:
    # URIs are compared as strings later, so no other spelling of the scheme is accepted.
    if url.startswith("https://"):
        return None if _HTTPS.match(url) else "The redirect URI has no valid host."
    if url.startswith("http://"):
        if _LOOPBACK.match(url):
            return None
        return "Plain http is accepted for localhost, 127.0.0.1 and [::1] only; use https."
    if scheme in schemes and _PRIVATE.match(url):
        return None
    return (
        "A redirect URI must begin with https://, with http:// and a loopback host, or with the "
        "private scheme of a known client."
    )


def is_registered(url: str, registered: Iterable[str]) -> bool:
    """Whether ``url`` is registered; the port of a loopback URI does not matter (RFC 8252)."""
    # With a port, the URL may be longer than the registered one and too long for the column.
    if len(url) > MAX_LENGTH:
        return False
    plain = _without_port(url)
    return any(
        url == known or (plain is not None and plain == _without_port(known))
        for known in registered
    )


def _without_port(url: str) -> str | None:
    found = _LOOPBACK.match(url)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return None
    return found[1] + url[found.end() :]


def add_response_parameters(redirect_uri: str, parameters: Mapping[str, str]) -> str:
    """Return the redirect URI with the parameters of the response added to its query."""
    return f"{redirect_uri}{'&' if '?' in redirect_uri else '?'}{urlencode(parameters)}"
