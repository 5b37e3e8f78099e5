"""A build is reviewed by keyboard alone."""

import time

import pytest

from tests.support.browser import OpenVisitor
from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.published_changes import publish_changes
from tests.support.review_page import ReviewPage

CHANGES = rounds(30, 300)
# One of them is rejected, with a comment.
REJECTED = 4
COMMENT = "The button hides the text."


def test_every_change_is_decided_without_a_pointer(
    open_visitor: OpenVisitor, personas: Personas, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewed = publish_changes(personas.alice, CHANGES)
    visitor = open_visitor(personas.bob)
    page = ReviewPage(visitor)
    page.open(reviewed.path)
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
    decisions = reviewed.decisions()
    assert len(decisions) == CHANGES
    assert list(decisions.values()).count("rejected") == 1
    assert page.keys == CHANGES + len(COMMENT) + 1
    assert visitor.console_errors == []


def test_alike_changes_are_decided_with_one_key_and_the_build_with_another(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    reviewed = publish_changes(personas.alice, 12)
    page = ReviewPage(open_visitor(personas.bob))
    page.open(reviewed.path)
    page.press("Shift+B")
    page.dialog.wait_for()
    assert "version 2 becomes the baseline of main" in page.dialog.inner_text().lower()
    page.press("Enter")
    page.wait_until_saved()
    assert reviewed.review_state() == "approved"
