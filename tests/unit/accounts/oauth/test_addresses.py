"""Documents are fetched only from public IP addresses, in every notation."""

from tests.support.case import Case
from visual_review.kernel.public_addresses import is_public


def test_public_addresses(case: Case) -> None:
    for address in (
        "93.184.215.14",
        "1.1.1.1",
        "2606:4700::1111",
        "64:ff9b::101:101",
        "::ffff:8.8.8.8",
    ):
        with case(address):
            assert is_public(address)


NOT_PUBLIC = [
    "127.0.0.1",
    "127.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",  # noqa: S104 - An address to reject.
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "192.0.0.1",
    "192.0.0.9",
    "192.0.0.192",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.1",
    "192.175.48.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:168.63.129.16",
    "64:ff9b::7f00:1",
    "64:ff9b::c058:6301",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "2001:2::1",
    "2001:1::1",
    "2001:20::1",
    "2001:db8::1",
    "2620:4f:8000::1",
    "4000::1",
    "3fff::1",
    "2002:7f00:1::",
    "2002:0808:0808::1",
    "2001:0:7f00:1::",
    "localhost",
    "",
    "2130706433",
]


def test_other_addresses(case: Case) -> None:
    for address in NOT_PUBLIC:
        with case(address):
            assert not is_public(address)
