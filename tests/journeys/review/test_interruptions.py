"""Sessions end, networks and processes fail, and nothing is lost or made twice."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Request, expect

from tests.support.browser import Visitors, wait_for
from tests.support.personas import PASSWORD
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.service import Process, answers, free_port, wait_until
from tests.support.servers.worker import database_environment
from tests.support.worlds import World
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Build, ReviewEntry


def test_a_session_that_ends_in_a_decision_loses_nothing(world: RenderedWorld) -> None:
    build = publish_changes(world, 4)
    page = world.review(build)
    visitor = page.visitor
    page.wait_until_painted()
    visitor.page.context.clear_cookies()
    page.press("a")
    page.dialog.wait_for()
    assert "sign in" in page.dialog.inner_text().lower()
    assert world.decisions(build) == {}
    # He signs in in another tab.
    with visitor.page.context.expect_page() as opened:
        page.dialog.get_by_role("link", name="Sign in").click()
    other = opened.value
    other.get_by_label("E-mail address").fill(world.personas.bob.user.email)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    # Closed before the response, the tab would take the request along.
    other.wait_for_url(lambda url: urlsplit(url).path != "/sign-in")
    other.close()
    visitor.page.bring_to_front()
    page.wait_until_saved()
    assert list(world.decisions(build).values()) == ["approved"]
    assert ReviewEntry.objects.filter(build=build).count() == 1


def test_decisions_without_a_network_are_sent_once_when_it_is_back(world: RenderedWorld) -> None:
    build = publish_changes(world, 6)
    page = world.review(build)
    visitor = page.visitor
    page.wait_until_fetched(4)
    visitor.page.context.set_offline(True)
    page.press("a", "a")
    expect(visitor.page.get_by_text("2 decisions not saved yet")).to_be_visible()
    assert world.decisions(build) == {}
    visitor.page.context.set_offline(False)
    page.wait_until_saved()
    assert len(world.decisions(build)) == 2
    assert ReviewEntry.objects.filter(build=build).count() == 2


def test_a_lost_answer_is_asked_again_without_a_second_effect(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    visitor = world.open_window(world.personas.bob)
    page = ReviewPage(visitor)
    lost: list[int] = []

    def lose_first(route: object) -> None:
        response = route.fetch()  # type: ignore[attr-defined]
        lost.append(response.status)
        route.abort() if len(lost) == 1 else route.fulfill(response=response)  # type: ignore[attr-defined]

    visitor.page.route("**/decisions", lose_first)
    page.open(path_of(build))
    page.press("a")
    page.wait_until_saved()
    assert lost == [200, 200]
    assert ReviewEntry.objects.filter(build=build).count() == 1


def test_a_slow_network_delays_no_key(world: RenderedWorld) -> None:
    build = publish_changes(world, 8)
    page = world.review(build)
    visitor = page.visitor
    network = visitor.page.context.new_cdp_session(visitor.page)
    network.send("Network.enable")
    slow = {
        "offline": False,
        "latency": 1500,
        "downloadThroughput": 50_000,
        "uploadThroughput": 50_000,
    }
    network.send("Network.emulateNetworkConditions", slow)
    seen = {page.current}
    for _ in range(5):
        before = page.current
        page.press("a")
        page.wait_until_left(before)
        seen.add(page.current)
    # All were shown before the server confirmed the first.
    assert len(seen) == 6
    wait_for("all are saved", lambda: len(world.decisions(build)) == 5)
    page.wait_until_saved()


def publish_small_changes(world: World) -> Build:
    world.approve(world.publish({"a": "red", "b": "red"}))
    build = world.publish({"a": "blue", "b": "green"})
    render_missing_thumbnails(build, lambda: None)
    return build


def test_each_thing_is_requested_once_from_this_service_and_kept(
    world: RenderedWorld, service: InProcessService
) -> None:
    build = publish_small_changes(world)
    page = ReviewPage(world.open_window(world.personas.bob))
    requests: list[Request] = []
    page.visitor.page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - Playwright marks the function.
    page.open(f"/builds/{build.id}")
    expect(page.root.locator(".navigator canvas")).to_have_count(2)
    wait_for(
        "an image",
        lambda: any("/images/" in request.url for request in requests),
        events_of=page.visitor.page,
    )
    urls = [request.url for request in requests]
    assert {f"{urlsplit(url).scheme}://{urlsplit(url).netloc}" for url in urls} == {service.url}
    index = f"{service.url}/builds/{build.id}/review.json"
    assert urls.count(index) == 1
    scripts = [url for url in urls if url.endswith(".js")]
    assert len(scripts) == len(set(scripts))
    # One file has all modules of the page; on a slow connection, each request would cost a delay.
    assert [url.rpartition("/")[2] for url in scripts if "/web/review/" in url] == [
        "main.bundle.js"
    ]
    assert not any("/navigator/" in url or "/viewer/" in url for url in scripts)
    # Files kept by the browser are not requested from the service again.
    responses = [found for request in requests if (found := request.response())]
    kept = {
        response.url
        for response in responses
        if "immutable" in response.headers.get("cache-control", "")
    }
    assert set(scripts) <= kept
    assert any("/images/" in url for url in kept)
    assert page.visitor.console_errors == []


@dataclass
class WebProcess:
    """``visual-review web`` on the tests' database, at one port for all its starts."""

    service: InProcessService
    folder: Path
    port: int = field(default_factory=free_port)
    process: Process = field(init=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        env = database_environment(
            VISUAL_REVIEW_STORAGE_URL=self.service.blobs.as_uri(),
            VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY,
            VISUAL_REVIEW_PUBLIC_URL=self.url,
        )
        command = ["web", "--port", str(self.port)]
        self.process = Process(command, self.folder / "web.log", env)
        alive = f"{self.url}/healthz"
        wait_until("the web process is alive", lambda: answers(alive), self.process)

    def kill(self) -> None:
        self.process.process.kill()
        self.process.process.wait()


@pytest.fixture
def web(service: InProcessService, tmp_path: Path) -> Iterator[WebProcess]:
    process = WebProcess(service, tmp_path)
    process.start()
    yield process
    process.kill()


def test_the_page_goes_on_where_it_was(
    browser: Browser, web: WebProcess, world: RenderedWorld
) -> None:
    build = publish_changes(world, 5)
    visitors = Visitors(browser, web.url)
    visitor = visitors.open(world.personas.bob)
    page = ReviewPage(visitor)
    page.open(path_of(build))
    page.press("a")
    page.wait_until_saved()
    web.kill()
    page.press("a", "a")
    expect(visitor.page.get_by_text("2 decisions not saved yet")).to_be_visible()
    reached = page.current
    web.start()
    page.wait_until_saved()
    assert page.current == reached
    assert list(world.decisions(build).values()) == ["approved"] * 3
    assert ReviewEntry.objects.filter(build=build).count() == 3
    visitors.close()
