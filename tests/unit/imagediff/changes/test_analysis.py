"""Changes in kinds and words: small drawn pages, with each engine."""

from typing import NamedTuple

import pytest

from tests.support.case import Case
from tests.support.imagediff.images import (
    BLACK,
    BLUE,
    GRAY,
    ORANGE,
    WHITE,
    card,
    dots,
    page,
    rectangle,
    text,
)
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Analysis, ChangeKind

pytestmark = pytest.mark.usefixtures("each_engine")

HEADING = text(20, 10, "Your latest orders")
SOFT_EDGE = [
    rectangle(40 + at, 40, 1, 60, f"#{60 * at:02x}{60 * at:02x}{60 * at:02x}") for at in range(4)
]
NOISE = "single pixels differ at 42,70"


class Row(NamedTuple):
    before: bytes
    after: bytes
    kind: ChangeKind
    summary: str


def changed(before: bytes, after: bytes) -> Analysis:
    return analyze(compare_with_marks(before, after)[1])


ROWS = {
    "a card is gone": Row(
        page(HEADING, card(60, 60, 120, 60)), page(HEADING), "vanished", "card vanished at 60,60"
    ),
    "a card is new": Row(
        page(HEADING), page(HEADING, card(60, 60, 120, 60)), "appeared", "card appeared at 60,60"
    ),
    "an icon is gone": Row(
        page(HEADING, rectangle(180, 60, 24, 24)),
        page(HEADING),
        "vanished",
        "icon vanished at 180,60",
    ),
    "a line is new": Row(
        page(HEADING),
        page(HEADING, rectangle(20, 40, 200, 2)),
        "appeared",
        "line appeared at 20,40",
    ),
    "a text is gone from a card": Row(
        page(card(20, 20, 200, 100), text(60, 60, "Delete everything")),
        page(card(20, 20, 200, 100)),
        "vanished",
        "text vanished at 62,63",
    ),
    "a button has another color": Row(
        page(HEADING, rectangle(60, 60, 100, 30, BLUE), text(70, 66, "Continue", WHITE)),
        page(HEADING, rectangle(60, 60, 100, 30, ORANGE), text(70, 66, "Continue", WHITE)),
        "color",
        "only colors: #5282ff to #ff8252, contrast dropped from 3.5 to 2.5",
    ),
    "a text is too light": Row(
        page(HEADING, text(20, 80, "The total is due now")),
        page(HEADING, text(20, 80, "The total is due now", "#aaaaaa")),
        "color",
        "only colors: #222222 to #aaaaaa, contrast dropped from 15.9 to 2.3",
    ),
    "a theme": Row(
        page(HEADING, text(20, 80, "The total is due now")),
        page(
            text(20, 10, "Your latest orders", WHITE),
            text(20, 80, "The total is due now", WHITE),
            paper=BLACK,
        ),
        "color",
        "only colors: #ffffff and #222222 swapped",
    ),
    "a chart is a block of another color": Row(
        page(HEADING, *(rectangle(60 + 8 * at, 60, 4, 9 * at, BLUE) for at in range(1, 9))),
        page(HEADING, rectangle(60, 60, 80, 80, ORANGE)),
        "pixels",
        "region 80x80 became one color at 60,60",
    ),
    "a card is a little darker": Row(
        page(HEADING, rectangle(60, 60, 120, 60, "#fafafa")),
        page(HEADING, rectangle(60, 60, 120, 60, "#f5f5f5")),
        "faint",
        "faint: 7,200 pixels changed by less than the threshold, #fafafa to #f5f5f5 at 60,60",
    ),
    "another text": Row(
        page(HEADING, text(20, 80, "Three items in the cart")),
        page(HEADING, text(20, 80, "Nothing")),
        "text",
        "text changed at 22,83",
    ),
    "a taller page": Row(
        page(HEADING), page(HEADING, size=(240, 166)), "resized", "page 6 px taller at the bottom"
    ),
    "a narrower and shorter page": Row(
        page(HEADING),
        page(HEADING, size=(236, 150)),
        "resized",
        "page 10 px shorter at the bottom and 4 px narrower on the right",
    ),
    "a stray pixel on a soft edge": Row(
        page(*SOFT_EDGE), page(*SOFT_EDGE, dots((42, 70), color="#d8d8d8")), "noise", NOISE
    ),
}


def test_changes_have_their_kind_and_a_sentence(case: Case) -> None:
    for name, row in ROWS.items():
        with case(name):
            found = changed(row.before, row.after)
            assert (found.kind, found.summary) == (row.kind, row.summary)


def test_equal_pages_have_no_changes() -> None:
    assert changed(page(HEADING), page(HEADING)) == NOTHING_CHANGED
    assert changed(page(HEADING), page(HEADING, paper="#fefefe")).changes == ()


def test_what_vanishes_one_way_appears_the_other_way() -> None:
    one, two = page(HEADING), page(HEADING, card(60, 60, 120, 60))
    forth, back = changed(one, two).changes, changed(two, one).changes
    assert [change.kind for change in forth] == ["appeared"]
    assert [change.kind for change in back] == ["vanished"]
    assert [change.box for change in forth] == [change.box for change in back]


def test_the_worst_change_comes_first() -> None:
    before = page(HEADING, card(60, 50, 120, 50), text(20, 130, "one two three"))
    after = page(HEADING, text(20, 130, "alpha beta gamma", BLACK), size=(240, 164))
    kinds = [change.kind for change in changed(before, after).changes]
    assert kinds == ["vanished", "text", "resized"]


def test_a_strip_is_a_change_of_its_own() -> None:
    before = page(HEADING, text(20, 140, "a footer"))
    after = page(HEADING, text(20, 140, "other words"), size=(240, 170))
    boxes = {change.kind: change.box for change in changed(before, after).changes}
    assert boxes["resized"].y == 160
    assert boxes["text"].y + boxes["text"].height <= 160


def test_colors_and_contrast_are_those_of_the_letters() -> None:
    before = page(rectangle(0, 0, 240, 160), text(20, 60, "The total is due now", BLACK))
    after = page(rectangle(0, 0, 240, 160), text(20, 60, "The total is due now", "#a0a0a0"))
    (change,) = changed(before, after).changes
    assert change.colors == (BLACK, "#a0a0a0")
    assert change.contrast is not None
    assert change.contrast == pytest.approx((10.3, 1.7), abs=0.1)
    assert GRAY not in change.colors


@pytest.mark.parametrize(("size", "is_lost"), [(14, True), (40, False)])
def test_large_text_needs_less_contrast(size: float, is_lost: bool) -> None:  # noqa: FBT001 - A row of the table.
    before = page(text(20, 60, "due now", BLACK, size))
    after = page(text(20, 60, "due now", "#888888", size))
    assert ("contrast dropped" in changed(before, after).summary) is is_lost
