"""Where an answer may be sent: what clients may register, and what then matches; pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

MAX_LENGTH: Final = 2000
# Of clients known to take their answer so. Any program may claim such a scheme on its machine,
# which is why the list is closed and the consent page warns.
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
# Programs that read addresses disagree on everything else, and no client needs it.
_PRINTABLE: Final = re.compile(r"[!-~]+")
_PRIVATE: Final = re.compile(r"[a-z][a-z0-9.+-]*:/[^/]|[a-z][a-z0-9.+-]*://[^/]")
_PORT = r"(?::([1-9][0-9]{0,4}))?(?=[/?]|\Z)"
# The whole authority, since Python's reader overlooks what stands behind a bracket.
_HTTPS: Final = re.compile(
    r"https://(?:[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])" + _PORT
)
_LOOPBACK: Final = re.compile(r"(http://(?:127\.0\.0\.1|localhost|\[::1\]))" + _PORT)
_MAX_PORT: Final = 65535
# What an answer adds; twice, a client might read the wrong one (RFC 6749, 3.1).
_ANSWER: Final = frozenset({"code", "state", "iss", "error", "error_description"})

Kind = Literal["https", "loopback", "private"]


@dataclass(frozen=True)
class Redirect:
    """A redirect as people are told of it: ``host`` is a host, or a scheme when ``private``."""

    address: str
    kind: Kind
    host: str


def redirect_of(address: str) -> Redirect:
    """For addresses that ``refusal`` has nothing against."""
    parts = urlsplit(address)
    if parts.scheme == "https":
        return Redirect(address, "https", parts.hostname or "")
    if parts.scheme == "http":
        return Redirect(address, "loopback", parts.hostname or "")
    return Redirect(address, "private", f"{parts.scheme}:")


def refusal(address: object, schemes: Iterable[str]) -> str | None:
    """Why a client may not register this address, or None; ``schemes`` are the private ones."""
    if not isinstance(address, str) or not 1 <= len(address) <= MAX_LENGTH:
        return f"A redirect address has 1 to {MAX_LENGTH} characters."
    if not _PRINTABLE.fullmatch(address) or set(address) & set('\\"<>^`{|}'):
        return "A redirect address is written in printable ASCII characters without blanks."
    if "#" in address:
        return "A redirect address has no fragment."
    try:
        parts = urlsplit(address)
        # Reading the port is what finds a wrong one.
        _ = parts.port
    except ValueError:
        return "The redirect address cannot be read."
    return _refused_parts(parts) or _refused_scheme(address, parts.scheme, schemes)


def _refused_parts(parts: SplitResult) -> str | None:
    if "@" in parts.netloc:
        return "A redirect address names no user."
    if _ANSWER.intersection(name for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        return "The query of a redirect address holds nothing that an answer adds, such as 'state'."
    return None


def _refused_scheme(address: str, scheme: str, schemes: Iterable[str]) -> str | None:
    # The text itself must begin so: other spellings would not match as text later.
    if address.startswith("https://"):
        return None if _HTTPS.match(address) else "The redirect address names no host."
    if address.startswith("http://"):
        if _LOOPBACK.match(address):
            return None
        return "Plain http is accepted for localhost, 127.0.0.1 and [::1] only; use https."
    if scheme in schemes and _PRIVATE.match(address):
        return None
    return (
        "Redirect addresses begin with https://, with http:// for this machine, or with the "
        "private scheme of a known client."
    )


def is_registered(asked: str, registered: Iterable[str]) -> bool:
    """Whether ``asked`` is one of these texts; on loopback the port does not count (RFC 8252)."""
    # A port may make it longer than what was registered, and there is no room for that.
    if len(asked) > MAX_LENGTH:
        return False
    plain = _without_port(asked)
    return any(
        asked == known or (plain is not None and plain == _without_port(known))
        for known in registered
    )


def _without_port(address: str) -> str | None:
    found = _LOOPBACK.match(address)
    if found is None or int(found[2] or 0) > _MAX_PORT:
        return None
    return found[1] + address[found.end() :]


def is_response_url(redirect: str, answer: Mapping[str, str]) -> str:
    """The redirect with the answer added to its query."""
    return f"{redirect}{'&' if '?' in redirect else '?'}{urlencode(answer)}"
