"""Public and special IP addresses; pure.

Sources: IANA's registries of special-purpose networks (IPv4 and IPv6, RFC 6890), multicast and
reserved space, and the virtual hosts of clouds in public space.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

# Refused whatever the registry says about reachability: no website has such an address.
SPECIAL_IPV4: Final = {
    IPv4Network("0.0.0.0/8"): "this network",
    IPv4Network("10.0.0.0/8"): "private use",
    IPv4Network("100.64.0.0/10"): "shared by a provider's customers; metadata of Alibaba Cloud",
    IPv4Network("127.0.0.0/8"): "loopback",
    IPv4Network("168.63.129.16/32"): "services of the host in Azure",
    IPv4Network("169.254.0.0/16"): "link-local; metadata of most clouds",
    IPv4Network("172.16.0.0/12"): "private use",
    IPv4Network("192.0.0.0/24"): "protocol assignments; metadata of Oracle Cloud",
    IPv4Network("192.0.2.0/24"): "documentation",
    IPv4Network("192.31.196.0/24"): "AS112",
    IPv4Network("192.52.193.0/24"): "automatic multicast tunneling",
    IPv4Network("192.88.99.0/24"): "relays of 6to4",
    IPv4Network("192.168.0.0/16"): "private use",
    IPv4Network("192.175.48.0/24"): "AS112",
    IPv4Network("198.18.0.0/15"): "benchmarks",
    IPv4Network("198.51.100.0/24"): "documentation",
    IPv4Network("203.0.113.0/24"): "documentation",
    IPv4Network("224.0.0.0/4"): "multicast",
    IPv4Network("240.0.0.0/4"): "reserved, and broadcast",
}
# The only space assigned to hosts; all other IPv6 addresses are refused.
GLOBAL_UNICAST: Final = IPv6Network("2000::/3")
SPECIAL_IPV6: Final = {
    IPv6Network("2001::/23"): "protocol assignments: Teredo, benchmarks, ORCHID and others",
    IPv6Network("2001:db8::/32"): "documentation",
    IPv6Network("2002::/16"): "6to4",
    IPv6Network("2620:4f:8000::/48"): "AS112",
    IPv6Network("3fff::/20"): "documentation",
}
# Hosts without IPv4 reach IPv4 through this network (RFC 6052).
NAT64: Final = IPv6Network("64:ff9b::/96")


def is_public(text: str) -> bool:
    """Whether the IP address is a host's on the public internet, and not a special one.

    An IP address that embeds one of version 4 (mapped, NAT64) is judged by the embedded one;
    tunnels (6to4, Teredo) are refused, because anything may be behind a tunnel.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        address = _unwrap(address)
    if isinstance(address, IPv4Address):
        return not _is_in(address, SPECIAL_IPV4)
    return address in GLOBAL_UNICAST and not _is_in(address, SPECIAL_IPV6)


def _unwrap(address: IPv6Address) -> IPv4Address | IPv6Address:
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address


def _is_in(
    address: IPv4Address | IPv6Address, networks: Iterable[IPv4Network | IPv6Network]
) -> bool:
    return any(address in network for network in networks)
