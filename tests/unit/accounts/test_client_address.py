"""The address that counts as the client's, and the network for limits."""

from ipaddress import ip_network

import pytest

from visual_review.accounts.client_address import client_address, client_network, is_trusted

PROXIES = [ip_network(text) for text in ("127.0.0.0/8", "::1", "10.0.0.0/8", "2001:db8:f::/48")]
CASES: tuple[tuple[str, str, list[str], str], ...] = (
    ("no proxy at all", "192.0.2.1", [], "192.0.2.1"),
    ("a header from a client", "192.0.2.1", ["198.51.100.7"], "192.0.2.1"),
    ("a proxy without a header", "127.0.0.1", [], "127.0.0.1"),
    ("an empty header", "127.0.0.1", [""], "127.0.0.1"),
    ("one proxy", "127.0.0.1", ["192.0.2.1"], "192.0.2.1"),
    ("a header that the client began", "127.0.0.1", ["198.51.100.7, 192.0.2.1"], "192.0.2.1"),
    ("a client that names a proxy", "127.0.0.1", ["10.0.0.1, 192.0.2.1"], "192.0.2.1"),
    ("two proxies", "127.0.0.1", ["192.0.2.1, 10.1.2.3"], "192.0.2.1"),
    ("two headers", "127.0.0.1", ["198.51.100.7", "192.0.2.1, 10.1.2.3"], "192.0.2.1"),
    ("only proxies", "127.0.0.1", ["10.0.0.9, 10.1.2.3"], "10.0.0.9"),
    ("a word instead of an address", "127.0.0.1", ["192.0.2.1, unknown"], "127.0.0.1"),
    ("a word before a proxy", "127.0.0.1", ["unknown, 10.1.2.3"], "10.1.2.3"),
    ("an address with a port", "127.0.0.1", ["192.0.2.1:4711"], "192.0.2.1"),
    ("an IPv6 address", "::1", ["2001:db8::1"], "2001:db8::1"),
    ("IPv6 with a port", "::1", ["[2001:DB8::1]:443"], "2001:db8::1"),
    ("IPv6 in brackets", "2001:db8:f::7", ["[2001:db8::1]"], "2001:db8::1"),
    ("a socket for both families", "::ffff:127.0.0.1", ["::ffff:192.0.2.1"], "192.0.2.1"),
    ("a scope", "::1", ["fe80::1%a scope"], "fe80::1"),
    ("a peer without an address", "testclient", ["192.0.2.1"], "testclient"),
)


@pytest.mark.parametrize(
    ("peer", "forwarded", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_only_what_trusted_proxies_wrote_is_believed(
    peer: str, forwarded: list[str], expected: str
) -> None:
    assert client_address(peer, forwarded, PROXIES) == expected


def test_no_proxy_is_trusted_without_a_list() -> None:
    assert client_address("127.0.0.1", ["192.0.2.1"], []) == "127.0.0.1"
    assert not is_trusted("127.0.0.1", [])
    assert is_trusted("::ffff:127.0.0.9", PROXIES)
    assert not is_trusted("testclient", PROXIES)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("testclient", "testclient"),
    ],
)
def test_an_ipv6_client_counts_with_its_network(address: str, network: str) -> None:
    assert client_network(address) == network
