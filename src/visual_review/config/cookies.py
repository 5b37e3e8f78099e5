"""Names of cookies: with an https public URL, browsers accept the cookies from this host only."""

from urllib.parse import urlsplit

# Browsers require Secure and Path=/ for the prefix and refuse a Domain, so that no other host of
# the domain can set such a cookie (RFC 6265bis, 4.1.3).
HOST_PREFIX = "__Host-"


def is_https(public_url: str) -> bool:
    return urlsplit(public_url).scheme == "https"


def cookie_name(name: str, public_url: str) -> str:
    """Return the name for setting a cookie."""
    return f"{HOST_PREFIX if is_https(public_url) else ''}{name}"
