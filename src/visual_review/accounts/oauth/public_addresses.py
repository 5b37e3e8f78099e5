"""The IP addresses that client documents may be fetched from; pure."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
# Reserved for documentation; some versions of Python consider it global.
DOCUMENTATION: Final = IPv6Network("3fff::/20")
# Hosts without IPv4 reach it through this network (RFC 6052).
NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Whether the IP address, or one for IPv4 embedded in it, is on the public internet."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv4Address):
        return _is_public_4(address)
    if address in NAT64:
        return _is_public_4(IPv4Address(int(address) & 0xFFFFFFFF))
    return _is_public_6(address)


def _is_public_4(address: IPv4Address) -> bool:
    return address.is_global and not address.is_multicast and not address.is_reserved


def _is_public_6(address: IPv6Address) -> bool:
    # Tunnels embed an IPv4 address, which may be private.
    tunnel = address.sixtofour is not None or address.teredo is not None
    documentation = address in DOCUMENTATION
    return address in GLOBAL_UNICAST and address.is_global and not tunnel and not documentation
