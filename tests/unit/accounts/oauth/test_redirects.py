"""Redirect URIs allowed in a registration, and matches with a registered one."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.case import Case
from visual_review.accounts.oauth.redirects import (
    MAX_LENGTH,
    PRIVATE_SCHEMES,
    add_response_parameters,
    find_redirect_error,
    is_registered,
    parse_redirect,
)
from visual_review.kernel.public_addresses import is_public

ACCEPTED = [
    "https://claude.ai/api/mcp/auth_callback",
    "https://client.example:8443/cb?tenant=1",
    "https://localhost/cb",
    "https://[2001:db8::1]/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:1/cb",
    "http://localhost:65535",
    "http://localhost/",
    "http://[::1]:3000/cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "vscode://vendor.extension/callback",
    "claude://claude.ai/callback",
    "zed:/callback",
]
REJECTED = [
    "",
    None,
    7,
    "http://client.example/cb",
    "http://127.0.0.2/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost.evil.example/cb",
    "http://localhost@evil.example/cb",
    "http://0.0.0.0/cb",
    "http://[::]/cb",
    "http://2130706433/cb",
    "http://LOCALHOST/cb",
    "http://localhost:99999/cb",
    "HTTPS://client.example/cb",
    "https:///cb",
    "https:client.example/cb",
    "https://",
    "https://*.example/cb",
    "https://user@client.example/cb",
    "https://client.example/cb#part",
    "https://client.example/cb#",
    "https://client.example/c b",
    "https://client.example/cb\n",
    "https://client.example\\@evil.example/cb",
    "https://client.example/<script>",
    "https://\u0441lient.example/cb",
    "https://client.example/" + "a" * 2000,
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://client.example/cb",
    "myapp://callback",
    "Cursor://callback",
    "cursor:callback",
    "cursor://",
    "//client.example/cb",
    "/cb",
    "urn:ietf:wg:oauth:2.0:oob",
]


def test_accepted_uris(case: Case) -> None:
    for uri in ACCEPTED:
        with case(uri):
            assert find_redirect_error(uri, PRIVATE_SCHEMES) is None


def test_rejected_uris(case: Case) -> None:
    for uri in REJECTED:
        with case(uri):
            reason = find_redirect_error(uri, PRIVATE_SCHEMES)
            assert reason is not None
            assert reason.endswith((".", "https."))


MATCHES = [
    ("https://a.example/cb", "https://a.example/cb", True),
    ("https://a.example/cb/", "https://a.example/cb", False),
    ("https://a.example/cb?x=1", "https://a.example/cb", False),
    ("https://a.example/cb?", "https://a.example/cb", False),
    ("https://a.example:443/cb", "https://a.example/cb", False),
    ("https://a.example:8443/cb", "https://a.example/cb", False),
    ("https://b.example/cb", "https://a.example/cb", False),
    ("https://a.example/CB", "https://a.example/cb", False),
    ("https://a.example/x/../cb", "https://a.example/cb", False),
    ("http://a.example/cb", "https://a.example/cb", False),
    ("http://127.0.0.1:5000/cb", "http://127.0.0.1/cb", True),
    ("http://127.0.0.1:5000/cb", "http://127.0.0.1:6000/cb", True),
    ("http://127.0.0.1/cb", "http://127.0.0.1:6000/cb", True),
    ("http://localhost:5000/cb", "http://localhost:6000/cb", True),
    ("http://[::1]:5000/cb", "http://[::1]/cb", True),
    ("http://localhost:5000", "http://localhost", True),
    ("http://localhost:5000/cb", "http://127.0.0.1:5000/cb", False),
    ("http://127.0.0.1:5000/cb", "http://localhost:5000/cb", False),
    ("http://[::1]:5000/cb", "http://127.0.0.1:5000/cb", False),
    ("https://localhost:5000/cb", "https://localhost:6000/cb", False),
    ("https://127.0.0.1:5000/cb", "http://127.0.0.1:5000/cb", False),
    ("http://127.0.0.1:5000/other", "http://127.0.0.1/cb", False),
    ("http://127.0.0.1:5000/cb?x=1", "http://127.0.0.1/cb", False),
    ("http://127.0.0.1:5000@evil.example/cb", "http://127.0.0.1:5000/cb", False),
    ("http://127.0.0.1:5000.evil.example/cb", "http://127.0.0.1:5000/cb", False),
    ("http://127.0.0.1.evil.example/cb", "http://127.0.0.1/cb", False),
    ("http://127.0.0.1:123456/cb", "http://127.0.0.1/cb", False),
    ("cursor://host/cb", "cursor://host/cb", True),
    ("cursor://host:1/cb", "cursor://host/cb", False),
    ("vscode://host/cb", "cursor://host/cb", False),
]


def test_matching_of_uris(case: Case) -> None:
    for uri, registered, matches in MATCHES:
        with case(f"{uri} as {registered}"):
            assert is_registered(uri, ["https://other.example/", registered]) is matches
            assert not is_registered(uri, [])


def test_a_port_cannot_exceed_the_maximum_length() -> None:
    longest = "http://localhost/" + "a" * (MAX_LENGTH - len("http://localhost/"))
    assert is_registered(longest, [longest])
    assert not is_registered(longest.replace("localhost", "localhost:1"), [longest])


@pytest.mark.parametrize(
    ("uri", "kind", "host"),
    [
        ("https://claude.ai/cb", "https", "claude.ai"),
        ("http://localhost:1234/cb", "loopback", "localhost"),
        ("http://[::1]:1234/cb", "loopback", "::1"),
        ("cursor://anysphere/cb", "private", "cursor:"),
    ],
)
def test_parts_that_users_see(uri: str, kind: str, host: str) -> None:
    redirect = parse_redirect(uri)
    assert (redirect.kind, redirect.host) == (kind, host)


def test_a_response_keeps_the_query_of_the_redirect_uri() -> None:
    response = {"state": "a&b=c#d", "iss": "i"}
    url = add_response_parameters("https://a.example/cb?tenant=1", response)
    assert parse_qs(urlsplit(url).query) == {
        "tenant": ["1"],
        "state": ["a&b=c#d"],
        "iss": ["i"],
    }
    assert add_response_parameters("cursor://x/cb", {"code": "1"}) == "cursor://x/cb?code=1"


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
