"""People let MCP clients in: the SDKs' own sign-in, in a real browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser
from scripts.conformance_sign_in import sign_in
from scripts.demo_server import EMAIL

from tests.journeys.browsing import browser
from tests.journeys.mcp.conftest import REPOSITORY, STORIES, Place
from tests.journeys.mcp.signing import (
    SIGNING,
    Access,
    Person,
    SigningClient,
    bridge,
    signing_client,
)
from tests.servers.client_documents import client_document
from visual_review.accounts.oauth.lifetimes import GRACE

__all__ = ["browser"]
# Told that its scope does not suffice, it refreshes instead of asking, which widens nothing.
REFRESHES_FIRST = "signing-typescript-1"


@pytest.fixture(scope="module")
def person(browser: Browser, place: Place) -> Person:
    page = browser.new_context().new_page()
    sign_in(page, f"{place.server.url}/account", EMAIL, place.server.password)
    return Person(page, place.server.url)


@contextmanager
def connected(name: str, place: Place, person: Person, access: Access) -> Iterator[SigningClient]:
    with signing_client(name, place.address) as client:
        person.read(client.do("connect"))
        person.allow(access)
        assert client.next() == {"told": "connected"}
        yield client


def repositories(client: SigningClient) -> list[str]:
    found = client.call("list_repos")["structuredContent"]["repos"]
    return [repository["fullName"] for repository in found]


@pytest.mark.parametrize("name", SIGNING)
def test_a_client_registers_is_let_in_to_read_and_later_to_change(
    name: str, place: Place, person: Person
) -> None:
    with signing_client(name, place.address) as client:
        asked = client.do("connect")
        query = parse_qs(urlsplit(asked["open"]).query)
        assert query["resource"] == [place.address]
        assert query["code_challenge_method"] == ["S256"]
        consent = person.read(asked)
        assert f"test-{name}" in consent
        assert "unverified name" in consent
        person.allow("read")
        assert client.next() == {"told": "connected"}
        assert repositories(client) == [REPOSITORY]
        assert "review_screenshot" not in client.told("tools")

        shot = place.screenshots()[STORIES[name]]
        decision = {"screenshotId": shot["id"], "state": "approved"}
        more = client.do("call", tool="review_screenshot", arguments=decision)
        if name == REFRESHES_FIRST:
            assert "403" in more["failed"]
            client.told("forget")
            more = client.do("call", tool="review_screenshot", arguments=decision)
        assert "write" in parse_qs(urlsplit(more["open"]).query)["scope"][0]
        assert "already" in person.read(more)
        assert place.screenshots()[STORIES[name]]["reviewDecision"] is None
        person.allow("changes")
        assert client.next()["told"]["structuredContent"]["reviewState"] == "unreviewed"

    decided = place.screenshots()[STORIES[name]]
    assert decided["reviewDecision"] == "approved"
    assert decided["decided"]["client"] == f"test-{name}"


@pytest.mark.parametrize("name", SIGNING)
def test_a_client_known_by_its_document_needs_no_registration(
    name: str, place: Place, person: Person, certificate: Path
) -> None:
    with (
        client_document(certificate) as document,
        signing_client(name, place.address, document) as client,
    ):
        asked = client.do("connect")
        assert parse_qs(urlsplit(asked["open"]).query)["client_id"] == [document]
        consent = person.read(asked)
        assert "A described client" in consent
        assert "described by localhost" in consent
        assert "unverified" not in consent
        person.allow("read")
        assert client.next() == {"told": "connected"}
        assert repositories(client) == [REPOSITORY]


@pytest.mark.parametrize("name", SIGNING)
def test_a_client_refreshes_by_itself_and_is_out_once_disconnected(
    name: str, place: Place, person: Person
) -> None:
    with connected(name, place, person, "read") as client:
        before = client.told("kept")
        client.told("expire")
        assert repositories(client) == [REPOSITORY]
        after = client.told("kept")
        assert after["client_id"] == before["client_id"]
        assert after["access_token"] != before["access_token"]
        assert after["refresh_token"] != before["refresh_token"]

        person.disconnect(f"test-{name}")
        asked = client.do("call", tool="list_repos", arguments={})
        person.read(asked)
        person.refuse()
        assert "access_denied" in client.next()["failed"]


def test_the_bridge_signs_in_for_clients_that_cannot(
    place: Place, person: Person, tmp_path: Path
) -> None:
    handshake = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "A desktop", "version": "1.0.0"},
    }
    with bridge(place.address, tmp_path) as bridged:
        bridged.send(id=1, method="initialize", params=handshake)
        assert "MCP CLI Proxy" in person.read(bridged.asked())
        person.allow("read")
        assert bridged.result()["serverInfo"]["name"] == "visual-review"
        bridged.send(id=2, method="tools/call", params={"name": "list_repos", "arguments": {}})
        assert bridged.result()["structuredContent"]["repos"]


def test_a_refresh_token_that_comes_again_late_ends_the_connection(
    place: Place, person: Person
) -> None:
    name = "signing-typescript-1"
    with connected(name, place, person, "read") as client:
        stolen = client.told("kept")
        client.told("expire")
        assert repositories(client) == [REPOSITORY]
        # Another process of the same client may come at the same moment.
        assert refreshed(place, stolen).status_code == 200
        assert repositories(client) == [REPOSITORY]
        time.sleep(GRACE.total_seconds() + 0.5)
        late = refreshed(place, stolen)
        assert (late.status_code, late.json()["error"]) == (400, "invalid_grant")
        person.read(client.do("call", tool="list_repos", arguments={}))
        person.allow("read")
        assert client.next()["told"]["structuredContent"]["repos"]


def refreshed(place: Place, kept: dict[str, Any]) -> httpx.Response:
    form = {
        "grant_type": "refresh_token",
        "refresh_token": kept["refresh_token"],
        "client_id": kept["client_id"],
        "resource": place.address,
    }
    return httpx.post(f"{place.server.url}/api/oauth/token", data=form)
