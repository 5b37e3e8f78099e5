"""The OAuth issuer, and the resource of its tokens."""

from urllib.parse import urlsplit

from django.conf import settings

RESOURCE_PATH = "/api/mcp"
_DEFAULT_PORTS = {"http": 80, "https": 443}
_BEYOND = frozenset("?#@\\ ")


def issuer() -> str:
    url: str = settings.PUBLIC_URL
    return url


def resource() -> str:
    return f"{issuer()}{RESOURCE_PATH}"


def is_ours(text: str) -> bool:
    """Whether a ``resource`` parameter is our resource, however host and port are written."""
    parts = _parts(text)
    return parts is not None and parts == _parts(resource())


def _parts(text: str) -> tuple[str, str, int | None, str] | None:
    # A URL with more than scheme, host, port and path is another resource.
    if _BEYOND.intersection(text) or not text.isprintable():
        return None
    try:
        parts = urlsplit(text)
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return parts.scheme, parts.hostname or "", port, parts.path.removesuffix("/")
