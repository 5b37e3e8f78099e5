"""Which Host and Origin a request may name; pure.

Source: the protocol's rule against DNS rebinding (Streamable HTTP, security warning).
"""

from typing import Final
from urllib.parse import SplitResult, urlsplit

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
DEFAULT_PORTS: Final = {"http": 80, "https": 443}


def allowed_hosts(public_url: str) -> frozenset[str]:
    """Return the values of Host for the service at ``public_url``, in lower case."""
    parts = urlsplit(public_url)
    # A local service can be reached by any of the machine's own names.
    names = LOOPBACK if _is_loopback(parts) else (_name(parts),)
    return frozenset(host for name in names for host in _with_port(name, parts))


def allowed_origins(public_url: str) -> frozenset[str]:
    """Return the values of Origin of the service's own pages."""
    scheme = urlsplit(public_url).scheme
    return frozenset(f"{scheme}://{host}" for host in allowed_hosts(public_url))


def _is_loopback(parts: SplitResult) -> bool:
    return _name(parts) in LOOPBACK


def _name(parts: SplitResult) -> str:
    name = parts.hostname or "localhost"
    return f"[{name}]" if ":" in name else name


def _with_port(name: str, parts: SplitResult) -> tuple[str, ...]:
    default = DEFAULT_PORTS.get(parts.scheme)
    if parts.port in {None, default}:
        return (name, f"{name}:{default}")
    return (f"{name}:{parts.port}",)
