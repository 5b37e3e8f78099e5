"""Streams of events: readers, contents, and ends, without a thread for each."""

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest
from django.conf import settings
from django.test import override_settings

from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Persona
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.web import RawClient, reading_events, web_server
from tests.support.worlds import World
from visual_review.builds.models import Build
from visual_review.config.http import event_hub, event_streams

# More than the service has threads for pages.
READERS = 40


@pytest.fixture(scope="module")
def world(service: InProcessService) -> World:
    return World(service.personas.alice, "acme/events")


@pytest.fixture(scope="module")
def build(world: World) -> Build:
    world.approve(world.publish({"a": "red", "b": "red"}))
    return world.publish({"a": "blue", "b": "blue"})


def browser_of(service: InProcessService, persona: Persona) -> httpx.Client:
    cookies = {name: morsel.value for name, morsel in signed_in(persona).cookies.items()}
    return httpx.Client(base_url=service.url, cookies=cookies)


@pytest.fixture
def alice(service: InProcessService) -> Iterator[httpx.Client]:
    with browser_of(service, service.personas.alice) as client:
        yield client


@pytest.fixture
def many_of_a_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_hub, "MAX_OF_PERSON", READERS)


def events_of(build: Build) -> str:
    return f"/builds/{build.id}/events"


def test_a_reader_learns_of_another_persons_decision(
    service: InProcessService, world: World, build: Build, alice: httpx.Client
) -> None:
    with reading_events(alice, events_of(build)) as events:
        assert events.response.headers["content-type"] == "text/event-stream"
        assert events.response.headers["cache-control"] == "no-store"
        assert not {"x-event-stream", "content-length"} & set(events.response.headers)
        first = events.cursor()
        service.act("review_screenshot", screenshotId=world.shot(build, "a").id, state="approved")
        assert events.cursor() != first


def test_only_a_member_gets_a_stream(service: InProcessService, build: Build, case: Case) -> None:
    with case("signed out"):
        response = httpx.get(service.url + events_of(build))
        assert (response.status_code, response.json()["signInUrl"]) == (401, "/sign-in")
    with case("another organization"), browser_of(service, service.personas.mallory) as mallory:
        foreign, unknown = mallory.get(events_of(build)), mallory.get("/builds/build_0/events")
        assert (foreign.status_code, foreign.json()) == (404, unknown.json())
    with case("other methods"), browser_of(service, service.personas.alice) as alice:
        assert alice.head(events_of(build)).headers["content-type"] == "text/event-stream"
        assert alice.put(events_of(build)).status_code in {403, 405}


@pytest.mark.usefixtures("many_of_a_person")
def test_streams_hold_no_thread(
    service: InProcessService, build: Build, client: RawClient, alice: httpx.Client
) -> None:
    cookie = "; ".join(f"{name}={value}" for name, value in alice.cookies.items())
    with ExitStack() as connections:
        for _ in range(READERS):
            request = client.request("GET", events_of(build), f"Cookie: {cookie}")
            connections.enter_context(client.connected(request))
        assert httpx.get(f"{service.url}/sign-in", timeout=60).status_code == 200
        assert httpx.get(f"{service.url}/readyz", timeout=60).json()["pages"] == "ok"


def test_a_person_has_a_limited_number_of_streams(
    build: Build, alice: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_hub, "MAX_OF_PERSON", 2)
    url = events_of(build)
    with reading_events(alice, url) as first, reading_events(alice, url):
        first.cursor()
        refused = alice.get(url)
        assert refused.status_code == 503
        assert "retry-after" in refused.headers
        assert "error" in refused.json()


def test_a_stream_beats_and_ends_after_its_time(
    build: Build, alice: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(event_streams, "LIFETIME_SECONDS", 1)
    with reading_events(alice, events_of(build)) as events:
        events.cursor()
        assert ": still here" in events.rest()


def test_a_stream_ends_with_its_build(world: World, alice: httpx.Client) -> None:
    build = world.publish({"a": "green"}, branch="gone")
    with reading_events(alice, events_of(build)) as events:
        events.cursor()
        Build.objects.filter(pk=build.pk).delete()
        events.rest()
    assert alice.get(events_of(build)).status_code == 404


def test_a_stream_ends_when_the_process_does(service: InProcessService, build: Build) -> None:
    with override_settings(), ExitStack() as server:
        url = server.enter_context(web_server(settings))
        with (
            browser_of(service, service.personas.alice) as alice,
            reading_events(alice, url + events_of(build)) as events,
        ):
            events.cursor()
            server.close()
            # A response cut by the server would be an error here.
            assert "event: changed" not in events.rest()
