"""A review on a phone: the list, then one change after the other by swiping."""

import re

from playwright.sync_api import expect

from tests.support.browser import Touch, Visitor, wait_for
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def swipe(visitor: Visitor, by: int) -> None:
    """Move one finger across the screenshot, once shown: before, there is nothing to move."""
    expect(visitor.page.locator("screenshot-viewer .pane:not([aria-busy])").first).to_be_visible()
    expect(visitor.page.locator("screenshot-viewer [aria-busy]")).to_have_count(0)
    box = visitor.page.locator("screenshot-viewer").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2 - by / 2, box["y"] + box["height"] / 2
    finger = Touch(visitor.page)
    steps = 8
    for step in range(steps + 1):
        finger.send("touchStart" if step == 0 else "touchMove", (x + by * step / steps, y))
    finger.send("touchEnd")


def test_a_build_is_reviewed_with_a_thumb(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    visitor = world.open_window(world.personas.bob, **PHONE)
    page = ReviewPage(visitor)
    visitor.open(path_of(build))
    lines = visitor.page.locator(".navigator [data-screenshot-id]")
    expect(lines.first).to_be_visible()
    assert visitor.horizontal_overflow() == 0
    lines.first.tap()
    expect(visitor.page.locator("screenshot-viewer")).to_be_visible()
    page.wait_until_loaded()
    first = page.current
    swipe(visitor, -250)
    wait_for("the next change is shown", lambda: page.current != first)
    swipe(visitor, 250)
    wait_for("the previous change is shown", lambda: page.current == first)
    # Not a tap: after touches of a test, Chromium was seen to make no click of the next one.
    page.decision_bar.get_by_role("button", name=re.compile("^Approve:")).click()
    wait_for("the decision is stored", lambda: [*world.decisions(build).values()] == ["approved"])
    assert visitor.horizontal_overflow() == 0
    visitor.page.go_back()
    expect(lines.first).to_be_visible()
    assert visitor.console_errors == []
