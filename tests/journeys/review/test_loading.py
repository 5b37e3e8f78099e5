"""What the review page requests, and when: each thing once, from this service, without waiting."""

from urllib.parse import urlsplit

from playwright.sync_api import Request, expect

from tests.support.browser import wait_for
from tests.support.rendered_world import RenderedWorld, ReviewPage
from tests.support.servers.in_process_service import InProcessService
from tests.support.worlds import World
from visual_review.builds.images.thumbnails import render_missing_thumbnails
from visual_review.builds.models import Build


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
    # What the browser keeps is not requested from the service again.
    responses = [found for request in requests if (found := request.response())]
    kept = {
        response.url
        for response in responses
        if "immutable" in response.headers.get("cache-control", "")
    }
    assert set(scripts) <= kept
    assert any("/images/" in url for url in kept)
    assert page.visitor.console_errors == []
