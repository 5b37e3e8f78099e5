"""The client's address behind a proxy, through the whole application."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from tests.support.personas import Personas
from visual_review.config.http.asgi import make_application

TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
URL = "http://127.0.0.1:8000"
ATTEMPTS = 6


@dataclass
class Connection:
    """Requests from one peer, such as a proxy."""

    portal: BlockingPortal
    client: httpx.AsyncClient

    def fail_to_sign_in(self, email: str, forwarded: str) -> int:
        """Send a wrong password with the X-Forwarded-For ``forwarded``; return the status."""
        headers = {"X-Forwarded-For": forwarded}
        page = self.portal.call(lambda: self.client.get("/sign-in", headers=headers))
        found = TOKEN.search(page.text)
        assert found
        form = {"login": email, "password": "wrong password", "csrfmiddlewaretoken": found[1]}
        sent = self.portal.call(lambda: self.client.post("/sign-in", data=form, headers=headers))
        return sent.status_code


@pytest.fixture
def connections(transactional_db: None) -> Iterator["Connections"]:
    assert transactional_db is None
    with start_blocking_portal() as portal:
        yield Connections(portal)


class Connections:
    def __init__(self, portal: BlockingPortal) -> None:
        self.portal = portal
        self.application = make_application()

    def come_from(self, peer: str) -> Connection:
        transport = httpx.ASGITransport(self.application, client=(peer, 4711))
        return Connection(self.portal, httpx.AsyncClient(transport=transport, base_url=URL))


def test_people_behind_a_trusted_proxy_are_limited_apart(
    connections: Connections, personas: Personas, caplog: pytest.LogCaptureFixture
) -> None:
    email = personas.bob.user.email
    proxy = connections.come_from("127.0.0.1")
    with caplog.at_level(logging.INFO, "visual_review.access"):
        statuses = [proxy.fail_to_sign_in(email, "198.51.100.7") for _ in range(ATTEMPTS)]
    assert statuses == [200] * (ATTEMPTS - 1) + [429]
    assert {record.__dict__["client"] for record in caplog.records} == {"198.51.100.7"}
    assert proxy.fail_to_sign_in(email, "192.0.2.1") == 200
    # The attacker's text in front of the proxy's entry changes nothing.
    assert proxy.fail_to_sign_in(email, "192.0.2.99, 198.51.100.7") == 429


def test_no_one_else_can_choose_an_address(connections: Connections, personas: Personas) -> None:
    attacker = connections.come_from("198.51.100.7")
    email = personas.bob.user.email
    statuses = [attacker.fail_to_sign_in(email, f"192.0.2.{number}") for number in range(ATTEMPTS)]
    assert statuses == [200] * (ATTEMPTS - 1) + [429]
