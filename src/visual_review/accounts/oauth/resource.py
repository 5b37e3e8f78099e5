"""Who we are to OAuth clients: the issuer, and the one resource that tokens are for."""

from urllib.parse import urlsplit

from django.conf import settings

RESOURCE_PATH = "/api/mcp"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_BEYOND = frozenset("?#@\\ ")


def issuer() -> str:
    address: str = settings.PUBLIC_URL
    return address


def resource() -> str:
    return f"{issuer()}{RESOURCE_PATH}"


def is_ours(text: str) -> bool:
    """Whether a ``resource`` parameter names our resource; spelling of host and port aside."""
    asked = _parts(text)
    return asked is not None and asked == _parts(resource())


def _parts(text: str) -> tuple[str, str, int | None, str] | None:
    # Anything beyond scheme, host, port and path names something else, an empty fragment too.
    if _BEYOND.intersection(text) or not text.isprintable():
        return None
    try:
        parts = urlsplit(text)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port, parts.path.removesuffix("/")
