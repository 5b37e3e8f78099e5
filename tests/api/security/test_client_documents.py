"""Documents of OAuth clients lead the service to no other service: ports and special networks."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from oauth2_provider.cimd import CIMDError

from tests.support.case import Case
from visual_review.api.oauth.client_documents import DocumentFetcher

SPECIAL = (
    "192.0.0.8",
    "192.0.0.192",
    "168.63.129.16",
    "192.88.99.1",
    "169.254.169.254",
    "100.100.100.200",
    "198.18.0.1",
    "[fd00:ec2::254]",
    "[64:ff9b::a83f:8110]",
    "[::ffff:168.63.129.16]",
    "[2002:a83f:8110::1]",
    "[2001:0:a83f:8110::1]",
)


@contextmanager
def refused_unread(monkeypatch: pytest.MonkeyPatch, message: str) -> Iterator[None]:
    """Fail if the fetcher connects at all, or gives another reason."""

    def connect(*_: object) -> bytes:
        raise AssertionError("the fetcher connected")

    monkeypatch.setattr(DocumentFetcher, "read", connect)
    with pytest.raises(CIMDError, match=message):
        yield


def test_only_port_443_is_contacted(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for port in (22, 80, 444, 2375, 6443, 8443, 65535):
        with case(port), refused_unread(monkeypatch, "must be served on port 443"):
            DocumentFetcher().fetch(f"https://1.1.1.1:{port}/client.json")
    for invalid in ("0", "65536", "99999999"):
        with case(invalid), refused_unread(monkeypatch, "port"):
            DocumentFetcher().fetch(f"https://1.1.1.1:{invalid}/client.json")


def test_special_networks_are_never_contacted(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in SPECIAL:
        with case(host), refused_unread(monkeypatch, "not on the public internet"):
            DocumentFetcher().fetch(f"https://{host}/client.json")
