"""The application's view of address and scheme behind a proxy."""

import asyncio
from ipaddress import ip_network

import pytest
from starlette.types import Message, Scope

from visual_review.config.environment import EnvironmentInvalidError, read_environment
from visual_review.config.http.asgi import ClientAddress

NAME = "VISUAL_REVIEW_TRUSTED_PROXIES"


def seen(peer: str, headers: dict[str, str]) -> tuple[tuple[str, int], str]:
    """Return the client and the scheme of a request from a peer."""
    scopes: list[Scope] = []

    async def application(scope: Scope, *_: object) -> None:
        await asyncio.sleep(0)
        scopes.append(scope)

    async def receive() -> Message:
        raise AssertionError

    async def send(_message: Message) -> None:
        raise AssertionError

    scope = {
        "type": "http",
        "client": (peer, 4711),
        "scheme": "http",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }
    middleware = ClientAddress(application, [ip_network("127.0.0.1")])
    asyncio.run(middleware(scope, receive, send))
    return scopes[0]["client"], scopes[0]["scheme"]


def test_a_trusted_proxy_names_the_client_and_its_scheme() -> None:
    headers = {"X-Forwarded-For": "198.51.100.7, 192.0.2.1", "X-Forwarded-Proto": "https"}
    assert seen("127.0.0.1", headers) == (("192.0.2.1", 0), "https")
    assert seen("127.0.0.1", {}) == (("127.0.0.1", 4711), "http")


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        ("192.0.2.1", {"X-Forwarded-For": "198.51.100.7"}, (("192.0.2.1", 4711), "http")),
        ("192.0.2.1", {"X-Forwarded-Proto": "https"}, (("192.0.2.1", 4711), "http")),
        ("127.0.0.1", {"Forwarded": "for=198.51.100.7"}, (("127.0.0.1", 4711), "http")),
        ("127.0.0.1", {"X-Forwarded-Proto": "ftp"}, (("127.0.0.1", 4711), "http")),
    ],
)
def test_what_no_trusted_proxy_wrote_changes_nothing(
    peer: str, headers: dict[str, str], expected: tuple[tuple[str, int], str]
) -> None:
    assert seen(peer, headers) == expected


def test_the_operator_is_told_once_about_a_proxy_that_is_not_listed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen("192.168.0.1", {"X-Forwarded-For": "198.51.100.7"})
    (record,) = caplog.records
    assert "192.168.0.1" in record.getMessage()
    assert "VISUAL_REVIEW_TRUSTED_PROXIES" in record.getMessage()
    caplog.clear()
    # Neither a client with such a header nor a private address without one is a proxy.
    seen("8.8.8.8", {"X-Forwarded-For": "198.51.100.7"})
    seen("192.168.0.1", {})
    assert not caplog.records


@pytest.mark.parametrize(
    ("variables", "networks"),
    [
        ({}, ["127.0.0.0/8", "::1/128"]),
        ({NAME: "10.0.0.0/8 2001:db8::1"}, ["10.0.0.0/8", "2001:db8::1/128"]),
        ({NAME: ""}, []),
    ],
)
def test_the_operator_lists_the_proxies(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], networks: list[str]
) -> None:
    monkeypatch.delenv(NAME, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert read_environment().trusted_proxies == tuple(ip_network(text) for text in networks)


@pytest.mark.parametrize("text", ["proxy.example.com", "10.0.0.1/8", "10.0.0.1,10.0.0.2", "*"])
def test_an_invalid_list_of_proxies_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv(NAME, text)
    with pytest.raises(EnvironmentInvalidError, match=NAME):
        read_environment()
