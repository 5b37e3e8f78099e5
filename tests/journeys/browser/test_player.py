"""The player in a real browser: steps, keys, speed, and the page without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.browser import NARROWEST, OpenVisitor, Visitor, wait_for
from tests.support.case import Case
from tests.support.personas import Personas
from tests.support.recording_rows import enable, record, store
from tests.support.videos import video
from tests.support.worlds import World
from visual_review.recordings.models import Recording

READY = "video => video.readyState >= 2 && video.duration > 1"
IS_AT = "(video, wanted) => !video.seeking && Math.abs(video.currentTime - wanted) < 0.01"
HAS_FRAME = "video => video.readyState >= 2 && video.videoWidth === 64"
OpenPlayer = Callable[..., Visitor]


@pytest.fixture
def recording(personas: Personas) -> Recording:
    world = World(personas.alice)
    enable(world.repository)
    row = record(world.repository, "Signing in", error="expected true " * 40, width=64, height=48)
    store(row, "original.webm", video())
    return row


@pytest.fixture
def open_player(open_visitor: OpenVisitor, recording: Recording, personas: Personas) -> OpenPlayer:
    """Open the page of the recording and wait until the video can be played."""

    def opened(**options: object) -> Visitor:
        visitor = open_visitor(personas.carol, **options)
        visitor.open(f"/recordings/{recording.id}")
        if options.get("java_script_enabled", True):
            video = visitor.page.locator("video")
            wait_for("the video is there", lambda: video.evaluate(READY))
        return visitor

    return opened


def wait_for_position(page: Page, seconds: float) -> None:
    """Wait until the video is at the given position."""
    video = page.locator("video")
    wait_for(f"the video is at {seconds}", lambda: video.evaluate(IS_AT, seconds))


def expect_marked_step(page: Page, title: str) -> None:
    step = page.locator("a[aria-current=step]")
    expect(step).to_contain_text(title)


def test_a_click_on_a_step_jumps_there_and_marks_it(open_player: OpenPlayer) -> None:
    visitor = open_player()
    page = visitor.page
    page.get_by_text("Press it").click()
    wait_for_position(page, 1.2)
    expect_marked_step(page, "Press it")
    page.get_by_text("Look at the button").click()
    wait_for_position(page, 0.5)
    expect_marked_step(page, "Look at the button")
    assert visitor.console_errors == []


def test_the_current_step_is_marked_while_the_video_plays(open_player: OpenPlayer) -> None:
    page = open_player().page
    page.locator("video").evaluate("video => { video.currentTime = 0.8 }")
    expect_marked_step(page, "Look at the button")
    page.locator("video").evaluate("video => { video.currentTime = 1.4 }")
    expect_marked_step(page, "Press it")


def test_keys_step_by_frames_seconds_steps_and_speed(open_player: OpenPlayer) -> None:
    page = open_player().page
    page.keyboard.press("n")
    wait_for_position(page, 0)
    page.keyboard.press("n")
    wait_for_position(page, 0.5)
    page.keyboard.press(".")
    wait_for_position(page, 0.54)
    page.keyboard.press(",")
    wait_for_position(page, 0.5)
    page.keyboard.press("p")
    wait_for_position(page, 0)
    page.keyboard.press(">")
    assert page.locator("video").evaluate("video => video.playbackRate") == 1.5
    page.keyboard.press("Space")
    video = page.locator("video")
    wait_for("it plays", lambda: video.evaluate("video => video.currentTime > 0.1"))


def test_buttons_and_speed_work_without_a_mouse(open_player: OpenPlayer) -> None:
    page = open_player().page
    page.get_by_role("button", name="Next frame").press("Enter")
    wait_for_position(page, 0.04)
    page.get_by_label("Speed").select_option("2")
    assert page.locator("video").evaluate("video => video.playbackRate") == 2
    page.get_by_role("link", name="Press it").press("Enter")
    wait_for_position(page, 1.2)


def test_a_video_that_failed_before_the_script_ran_is_reported(
    open_visitor: OpenVisitor, recording: Recording, personas: Personas
) -> None:
    visitor = open_visitor(personas.carol)
    page = visitor.page
    held: list[Route] = []
    page.route("**/original.webm*", lambda route: route.fulfill(status=403))
    page.route("**/player*.js", lambda route: held.append(route))  # noqa: PLW0108 - No built-in is taken.
    page.goto(f"{visitor.address}/recordings/{recording.id}", wait_until="commit")
    video = page.locator("video")
    wait_for("the video failed", lambda: video.evaluate("video => video.error !== null"))
    wait_for("the script was asked for", lambda: held, events_of=page)
    held[0].continue_()
    expect(page.get_by_text("The video can no longer be loaded")).to_be_visible()


def test_without_scripts_the_browser_plays_and_steps_are_links(open_player: OpenPlayer) -> None:
    page = open_player(java_script_enabled=False).page
    expect(page.locator("video[controls]")).to_be_visible()
    expect(page.get_by_role("button", name="Next frame")).to_be_hidden()
    address = page.get_by_role("link", name="Press it").get_attribute("href")
    assert address is not None
    assert "/original.webm?" in address
    assert address.endswith("#t=1.2")


def test_the_list_shows_the_first_frame(open_player: OpenPlayer) -> None:
    page = open_player().page
    page.locator(".breadcrumbs").get_by_text("Recordings").click()
    preview = page.locator(".recording-card video")
    wait_for("the first frame is shown", lambda: preview.evaluate(HAS_FRAME))


def test_the_page_is_never_wider_than_its_window(open_player: OpenPlayer, case: Case) -> None:
    for width in (1440, NARROWEST):
        with case(f"{width} pixels"):
            visitor = open_player(viewport={"width": width, "height": 800})
            assert visitor.horizontal_overflow() == 0
            visitor.page.locator(".breadcrumbs").get_by_text("Recordings").click()
            visitor.page.get_by_role("link", name="Signing in").wait_for()
            assert visitor.horizontal_overflow() == 0
