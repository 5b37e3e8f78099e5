"""A build is build by keyboard alone."""

import time

import pytest

from tests.support.depth import rounds
from tests.support.rendered_world import RenderedWorld, publish_changes

CHANGES = rounds(30, 300)
# One of them is rejected, with a comment.
REJECTED = 4
COMMENT = "The button hides the text."


def test_every_change_is_decided_without_a_pointer(
    world: RenderedWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    build = publish_changes(world, CHANGES)
    page = world.review(build)
    visitor = page.visitor
    began = time.monotonic()
    for number in range(CHANGES):
        before = page.current
        if number == REJECTED:
            page.reject(COMMENT)
        else:
            page.press("a")
        if number < CHANGES - 1:
            page.wait_until_left(before)
    page.wait_until_saved()
    seconds = time.monotonic() - began
    with capsys.disabled():
        print(f"\n{CHANGES} changes by keyboard: {seconds:.0f} s, {page.keys} keys")  # noqa: T201 - Figures to publish.
    decisions = world.decisions(build)
    assert len(decisions) == CHANGES
    assert list(decisions.values()).count("rejected") == 1
    assert page.keys == CHANGES + len(COMMENT) + 1
    assert visitor.console_errors == []


def test_alike_changes_are_decided_with_one_key_and_the_build_with_another(
    world: RenderedWorld,
) -> None:
    build = publish_changes(world, 12)
    page = world.review(build)
    page.press("Shift+B")
    page.dialog.wait_for()
    assert "version 2 becomes the baseline of main" in page.dialog.inner_text().lower()
    page.press("Enter")
    page.wait_until_saved()
    assert world.review_state(build) == "approved"
