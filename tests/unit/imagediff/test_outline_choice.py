"""The outlined changes of a panel; an outline hides nothing of its change."""

from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.rendering.annotations import draw_outlines
from visual_review.imagediff.rendering.outline_choice import (
    FAINT_COLOR,
    MOVED_COLOR,
    SMALL_COLOR,
    STROKE,
    Outline,
    describe_move,
    outline_changes,
)

CROP = Box(100, 100, 400, 300)
SMALL_CHANGE = Box(200, 200, 4, 5)


def outlines(*boxes: Box, scale: float = 1) -> list[Outline]:
    return outline_changes(boxes, (), "after", CROP, scale)


def inside(outline: Outline) -> Box:
    """Return the area inside of the line."""
    box = outline.box
    return Box(box.x + STROKE, box.y + STROKE, box.width - 2 * STROKE, box.height - 2 * STROKE)


def contains(outer: Box, inner: Box) -> bool:
    return (
        outer.x <= inner.x
        and outer.y <= inner.y
        and inner.x + inner.width <= outer.x + outer.width
        and inner.y + inner.height <= outer.y + outer.height
    )


def test_a_change_is_outlined_where_it_is_shown_small() -> None:
    (found,) = outlines(SMALL_CHANGE, scale=0.8)
    assert found.color == SMALL_COLOR
    assert contains(inside(found), Box(80, 80, 4, 4))
    assert outlines(SMALL_CHANGE, scale=3) == []


def test_a_thin_line_is_outlined_and_a_large_change_is_not() -> None:
    assert len(outlines(Box(110, 250, 300, 1))) == 1
    assert outlines(Box(110, 250, 300, 40)) == []


def test_changes_outside_the_part_that_is_shown_are_not_outlined() -> None:
    assert outlines(Box(0, 0, 4, 5), Box(600, 100, 4, 5)) == []


def test_one_outline_is_around_small_changes_next_to_each_other() -> None:
    (found,) = outlines(SMALL_CHANGE, Box(210, 200, 4, 5), Box(200, 214, 4, 5))
    assert contains(inside(found), Box(100, 100, 14, 19))


@given(
    st.lists(
        st.builds(Box, st.integers(100, 480), st.integers(100, 380), *[st.integers(1, 15)] * 2),
        max_size=50,
    ),
    st.floats(0.25, 4),
)
def test_no_outline_crosses_a_small_change(boxes: list[Box], scale: float) -> None:
    found = outlines(*boxes, scale=scale)
    for box in boxes:
        left, top = (box.x - CROP.x) * scale, (box.y - CROP.y) * scale
        right, bottom = left + box.width * scale, top + box.height * scale
        if max(right - left, bottom - top) < 11:
            shown = Box(int(left), int(top), int(right) - int(left), int(bottom) - int(top))
            assert sum(contains(inside(each), shown) for each in found) == 1


def test_moved_content_is_outlined_where_it_was_and_where_it_is() -> None:
    moved = Change("moved", Box(120, 240, 200, 100), 900, "moved", Offset(0, 40))
    found = {
        side: outline_changes([moved.box], [moved], side, CROP, 1)
        for side in ("before", "after", "diff")
    }
    label = "moved down 40 px"
    assert found == {
        "before": [Outline(Box(16, 96, 208, 108), MOVED_COLOR, label, inside=True)],
        "after": [Outline(Box(16, 136, 208, 108), MOVED_COLOR, label, inside=True)],
        "diff": [],
    }


def test_where_everything_is_new_moves_are_not_outlined() -> None:
    moved = Change("moved", Box(120, 240, 60, 20), 900, "moved", Offset(0, 40))
    for box, count in ((Box(100, 200, 300, 150), 0), (Box(100, 250, 300, 150), 1)):
        changed = Change("pixels", box, 20_000, "pixels differ")
        found = outline_changes([], [changed, moved], "after", CROP, 1)
        assert [outline.color for outline in found] == [MOVED_COLOR] * count


def test_without_a_difference_next_to_them_large_changes_are_outlined() -> None:
    moved = Change("moved", Box(120, 240, 200, 100), 900, "moved", Offset(0, 40))
    large = Change("pixels", Box(150, 110, 200, 60), 900, "pixels differ")
    found = outline_changes([], [large, moved], "after", CROP, 1, large_ones=True)
    assert [outline.color for outline in found] == [SMALL_COLOR, MOVED_COLOR]
    found = outline_changes([], [moved], "after", CROP, 1, large_ones=True)
    assert [outline.color for outline in found] == [MOVED_COLOR]
    most = Change("pixels", Box(100, 100, 390, 290), 900, "pixels differ")
    assert outline_changes([], [most], "after", CROP, 1, large_ones=True) == []


def test_one_sample_of_moved_content_is_outlined_beside_other_changes() -> None:
    moves = [
        Change("moved", Box(120, 240 + 40 * at, 200, 20), 900, "moved", Offset(0, 4 + at))
        for at in range(3)
    ]
    other = Change("pixels", Box(150, 110, 200, 60), 900, "pixels differ")
    found = outline_changes([], [other, *moves], "after", CROP, 1, large_ones=True)
    assert [outline.label for outline in found] == ["", "moved down 4 px, 2 more moved"]


def test_a_frame_that_changed_is_outlined_at_any_size() -> None:
    frame = Change("border", Box(100, 100, 390, 290), 900, "border vanished")
    for large_ones in (False, True):
        found = outline_changes([], [frame], "after", CROP, 1, large_ones=large_ones)
        assert [outline.color for outline in found] == [SMALL_COLOR]


def test_lines_pass_behind_what_changed() -> None:
    canvas = Image.new("RGB", (200, 100), "#eeeeee")
    change = Box(60, 20, 30, 30)
    draw_outlines(
        canvas, Box(0, 0, 200, 100), [Outline(Box(20, 30, 100, 40), SMALL_COLOR)], [change]
    )
    changed = canvas.crop((60, 20, 90, 50))
    assert changed.getcolors() == [(900, (238, 238, 238))]
    assert canvas.getpixel((50, 31)) == SMALL_COLOR


def test_a_faint_change_is_outlined_at_any_size() -> None:
    faint = Change("faint", Box(120, 140, 200, 100), 900, "faint")
    (found,) = outline_changes([], [faint], "before", CROP, 2)
    assert (found.color, found.label) == (FAINT_COLOR, "faint")
    assert contains(inside(found), Box(40, 80, 400, 200))


def test_moves_are_described_by_direction() -> None:
    assert describe_move(Offset(0, -3)) == "moved up 3 px"
    assert describe_move(Offset(12, 40)) == "moved right 12 px and down 40 px"
    assert describe_move(Offset(-1, 0)) == "moved left 1 px"
