"""The IP address of a client behind trusted proxies, and the network counted by limits."""

from collections.abc import Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
# Each request needs the address of its client several times.
CACHED = 4096
# Of IPv6 with IPv4 at its end, and the name of an interface.
LONGEST_ADDRESS = 80
# One household or server gets so many bits, so single addresses cost an attacker nothing.
IPV6_PREFIX = 64


def client_address(peer: str, forwarded: Sequence[str], trusted: Sequence[Network]) -> str:
    """Return the IP address of the client of a connection from ``peer``.

    ``forwarded`` holds the values of X-Forwarded-For in the order of the request. Each proxy
    appends the IP address of its peer. So only the entries of trusted proxies, read from the right,
    can be believed.
    """
    current = _parse(peer)
    if current is None:
        return peer
    for entry in reversed(",".join(forwarded).split(",")):
        if not _is_in(current, trusted):
            break
        previous = _parse(_without_port(entry.strip()))
        if previous is None:
            break
        current = previous
    return str(current)


def is_trusted(peer: str, trusted: Sequence[Network]) -> bool:
    """Return whether the connection comes from a trusted proxy."""
    address = _parse(peer)
    return address is not None and _is_in(address, trusted)


def is_private(peer: str) -> bool:
    """Return whether the peer is in a private network, as proxies often are."""
    address = _parse(peer)
    return address is not None and address.is_private


def is_loopback(peer: str) -> bool:
    """Return whether the peer is on the same machine."""
    address = _parse(peer)
    return address is not None and address.is_loopback


@lru_cache(maxsize=CACHED)
def client_network(address: str) -> str:
    """Return the network counted as one client by limits: one host of IPv4, or a /64 of IPv6."""
    parsed = _parse(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, IPV6_PREFIX), strict=False))
    return address if parsed is None else str(parsed)


def _is_in(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _parse(text: str) -> Address | None:
    # Clients write the texts, too, and long ones would fill the memory.
    return _parse_cached(text) if len(text) <= LONGEST_ADDRESS else None


@lru_cache(maxsize=CACHED)
def _parse_cached(text: str) -> Address | None:
    """Parse an IP address; an IPv4 address mapped into IPv6 becomes an IPv4 address."""
    try:
        address = ip_address(text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address):
        # A scope such as '%eth0' names an interface and is free text.
        return address.ipv4_mapped or IPv6Address(int(address))
    return address


def _without_port(entry: str) -> str:
    """Return ``192.0.2.1`` for ``192.0.2.1:80``, ``2001:db8::1`` for ``[2001:db8::1]:80``."""
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    host, separator, port = entry.partition(":")
    return host if separator and ":" not in port else entry
