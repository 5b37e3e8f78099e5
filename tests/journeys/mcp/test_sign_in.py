"""People connect MCP clients: the SDKs' own sign-in, in a real browser."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from django.db.models import F
from playwright.sync_api import Browser
from scripts.conformance_sign_in import sign_in

from tests.journeys.mcp.conftest import REPOSITORY, STORIES, McpService
from tests.support.mcp.sign_in import (
    SIGNING_CLIENTS,
    Access,
    Person,
    SigningClient,
    SigningClients,
    bridge,
)
from tests.support.servers.client_documents import client_document
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import RefreshToken
from visual_review.accounts.oauth.lifetimes import REFRESH_GRACE
from visual_review.config.commands.organizations import create

# When the scope does not suffice, this client refreshes instead of asking; a refresh widens
# nothing.
REFRESHES_FIRST = "signing-typescript-1"


@pytest.fixture(scope="module")
def person(browser: Browser, service: McpService) -> Iterator[Person]:
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, f"{service.url}/account", service.email, service.password)
    yield Person(page, service.url)
    context.close()


@pytest.fixture(scope="module")
def clients(service: McpService) -> Iterator[SigningClients]:
    clients = SigningClients(service.endpoint)
    yield clients
    clients.end()


@contextmanager
def connected(
    name: str, clients: SigningClients, person: Person, access: Access
) -> Iterator[SigningClient]:
    with clients.use(name) as client:
        person.read(client.connect())
        person.allow(access)
        assert client.next() == {"result": "connected"}
        yield client


def repositories(client: SigningClient) -> list[str]:
    found = client.call("list_repos")["structuredContent"]["repos"]
    return [repository["fullName"] for repository in found]


@pytest.mark.parametrize("name", SIGNING_CLIENTS)
def test_a_client_registers_and_gets_read_access_and_later_write_access(
    name: str, service: McpService, clients: SigningClients, person: Person
) -> None:
    with clients.use(name) as client:
        asked = client.connect()
        query = parse_qs(urlsplit(asked["open"]).query)
        assert query["resource"] == [service.endpoint]
        assert query["code_challenge_method"] == ["S256"]
        consent = person.read(asked)
        assert f"test-{name}" in consent
        assert "unverified name" in consent
        person.allow("read")
        assert client.next() == {"result": "connected"}
        assert repositories(client) == [REPOSITORY]
        assert "review_screenshot" not in client.result("tools")

        shot = service.screenshots()[STORIES[name]]
        decision = {"screenshotId": shot["id"], "state": "approved"}
        more = client.do("call", tool="review_screenshot", arguments=decision)
        if name == REFRESHES_FIRST:
            assert "403" in more["failed"]
            client.result("forget")
            more = client.do("call", tool="review_screenshot", arguments=decision)
        assert "write" in parse_qs(urlsplit(more["open"]).query)["scope"][0]
        assert "Already connected" in person.read(more)
        assert service.screenshots()[STORIES[name]]["reviewDecision"] is None
        person.allow("changes")
        assert client.next()["result"]["structuredContent"]["reviewState"] == "unreviewed"

    decided = service.screenshots()[STORIES[name]]
    assert decided["reviewDecision"] == "approved"
    assert decided["decided"]["client"] == f"test-{name}"


@pytest.mark.parametrize("name", SIGNING_CLIENTS)
def test_a_client_known_by_its_document_needs_no_registration(
    name: str, clients: SigningClients, person: Person, certificate: Path
) -> None:
    with client_document(certificate) as document, clients.use(name) as client:
        asked = client.connect(document)
        assert parse_qs(urlsplit(asked["open"]).query)["client_id"] == [document]
        consent = person.read(asked)
        assert "A described client" in consent
        assert "identified by localhost" in consent
        assert "unverified" not in consent
        person.allow("read")
        assert client.next() == {"result": "connected"}
        assert repositories(client) == [REPOSITORY]


@pytest.mark.parametrize("name", SIGNING_CLIENTS)
def test_a_client_refreshes_by_itself_until_it_is_disconnected(
    name: str, clients: SigningClients, person: Person
) -> None:
    with connected(name, clients, person, "read") as client:
        before = client.result("stored")
        client.result("expire")
        assert repositories(client) == [REPOSITORY]
        after = client.result("stored")
        assert after["client_id"] == before["client_id"]
        assert after["access_token"] != before["access_token"]
        assert after["refresh_token"] != before["refresh_token"]

        person.disconnect(f"test-{name}")
        asked = client.do("call", tool="list_repos", arguments={})
        person.read(asked)
        person.deny()
        assert "access_denied" in client.next()["failed"]


def test_a_person_with_two_organizations_chooses_the_one_to_connect(
    service: McpService, clients: SigningClients, person: Person
) -> None:
    second = create("Globex", service.email).organization
    try:
        with clients.use(SIGNING_CLIENTS[0]) as client:
            person.read(client.connect())
            chosen = person.page.get_by_label("Globex")
            assert not chosen.is_checked()
            chosen.check()
            person.allow("read")
            assert client.next() == {"result": "connected"}
            assert repositories(client) == []
            caller = caller_of_bearer(client.result("stored")["access_token"])
            assert caller.organization_id == second.id
    finally:
        # The other tests' person has one.
        second.delete()


def test_the_bridge_signs_in_for_clients_that_cannot(
    service: McpService, person: Person, tmp_path: Path
) -> None:
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "A desktop", "version": "1.0.0"},
    }
    with bridge(service.endpoint, tmp_path) as bridged:
        bridged.send(id=1, method="initialize", params=handshake)
        assert "MCP CLI Proxy" in person.read(bridged.sign_in_request())
        person.allow("read")
        assert bridged.result()["serverInfo"]["name"] == "visual-review"
        bridged.send(id=2, method="tools/call", params={"name": "list_repos", "arguments": {}})
        assert bridged.result()["structuredContent"]["repos"]


def test_a_refresh_token_that_is_used_again_late_ends_the_connection(
    service: McpService, clients: SigningClients, person: Person
) -> None:
    with connected("signing-typescript-1", clients, person, "read") as client:
        stolen = client.result("stored")
        client.result("expire")
        assert repositories(client) == [REPOSITORY]
        # Another process of the same client may come at the same moment.
        assert refresh(service, stolen).status_code == 200
        assert repositories(client) == [REPOSITORY]
        pass_grace_period()
        late = refresh(service, stolen)
        assert (late.status_code, late.json()["error"]) == (400, "invalid_grant")
        person.read(client.do("call", tool="list_repos", arguments={}))
        person.allow("read")
        assert client.next()["result"]["structuredContent"]["repos"]


def pass_grace_period() -> None:
    """As if every refresh so far had been earlier by the grace period."""
    late = REFRESH_GRACE + timedelta(seconds=1)
    RefreshToken.objects.exclude(rotated_at=None).update(rotated_at=F("rotated_at") - late)


def refresh(service: McpService, stored: dict[str, Any]) -> httpx.Response:
    form = {
        "grant_type": "refresh_token",
        "refresh_token": stored["refresh_token"],
        "client_id": stored["client_id"],
        "resource": service.endpoint,
    }
    return httpx.post(f"{service.url}/api/oauth/token", data=form)
