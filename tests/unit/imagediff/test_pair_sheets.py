"""Dense sheets for models: nothing overlaps, all is legible, and pixels are not wasted."""

import io
from collections.abc import Sequence
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support.imagediff.png_writer import png
from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, ChangeKind, Offset
from visual_review.imagediff.rendering.arrangement import LONGEST_SIDE, MOST_PIXELS
from visual_review.imagediff.rendering.composite_plan import Panel, contains
from visual_review.imagediff.rendering.outline_choice import SMALL_COLOR, meet
from visual_review.imagediff.rendering.pair_frames import SheetEntry, amplify, find_legible_scale
from visual_review.imagediff.rendering.pair_sheet import render_pair_sheet
from visual_review.imagediff.rendering.pair_sheet_plan import (
    ORDERS,
    PairCell,
    fill_sheet,
    make_cell,
    pack,
)

Pixels = npt.NDArray[np.uint8]
SIDES = st.integers(1, 5000)
FAINT = Change("faint", Box(40, 40, 60, 60), 3600, "faint")


def entry(
    number: int,
    size: tuple[int, int],
    *boxes: Box,
    changes: Sequence[Change] = (),
    new: bool = False,
) -> SheetEntry:
    before, after = Panel("Before", *size, "before"), Panel("After", *size, "after")
    panels = (after,) if new else (before, after)
    return SheetEntry(number, f"Story {number}", "light", panels, boxes, tuple(changes))


def cell_of(size: tuple[int, int], *boxes: Box, changes: Sequence[Change] = ()) -> PairCell:
    return make_cell(entry(1, size, *boxes, changes=changes))


@given(
    st.lists(st.tuples(st.integers(1, 400), st.integers(1, 400)), min_size=1, max_size=16),
    st.sampled_from(ORDERS),
)
def test_packed_boxes_stay_apart_and_inside(sizes: list[tuple[int, int]], order: object) -> None:
    boxes = pack(sizes, 500, 12, order)  # type: ignore[arg-type]
    assert boxes is not None
    assert [(box.width, box.height) for box in boxes] == sizes
    assert all(box.x >= 0 and box.y >= 0 and box.x + box.width <= 500 for box in boxes)
    grown = [Box(box.x, box.y, box.width + 12, box.height + 12) for box in boxes]
    assert not any(meet(one, two) for one, two in combinations(grown, 2))


def test_what_is_too_wide_is_not_packed() -> None:
    assert pack([(501, 10)], 500, 12, ORDERS[0]) is None


@given(st.lists(st.tuples(SIDES, SIDES, st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_any_entries_fit_on_sheets_and_are_legible(
    sizes: list[tuple[int, int, bool, bool]],
) -> None:
    cells = []
    for number, (width, height, small, new) in enumerate(sizes, 1):
        box = Box(width // 2, height // 2, 1, 1) if small else Box(0, 0, width, height)
        cells.append(make_cell(entry(number, (width, height), box, new=new)))
    left = cells
    while left:
        plan = fill_sheet(left, MOST_PIXELS)
        assert plan is not None
        assert max(plan.width, plan.height) <= LONGEST_SIDE
        assert plan.width * plan.height <= MOST_PIXELS
        shown = [box for cell, x, y in plan.cells for _, _, box in cell.panel_boxes(x, y)]
        assert not any(meet(one, two) for one, two in combinations(shown, 2))
        left = left[len(plan.cells) :]
    for cell in cells:
        # A little less is allowed if everything is visible at the smaller scale.
        assert cell.frame.scale >= 0.84 * find_legible_scale(cell.entry.area)
        assert all(contains(cell.entry.area, part) for part in cell.frame.parts)


def test_a_pair_is_cropped_to_its_change_at_its_own_size() -> None:
    cell = cell_of((1440, 900), Box(700, 450, 40, 30))
    assert cell.frame.parts == (Box(640, 402, 160, 126),)
    assert cell.frame.scale == 1
    assert cell.frame.complete


def test_a_tiny_change_is_enlarged() -> None:
    assert cell_of((1440, 900), Box(700, 450, 6, 3)).frame.scale == 2


def test_a_desktop_page_is_shown_as_a_whole_and_legible() -> None:
    frame = cell_of((1440, 900), Box(0, 0, 1440, 900)).frame
    assert frame.parts == (Box(0, 0, 1440, 900),)
    assert frame.scale >= 0.49
    assert frame.complete


def test_changes_far_apart_are_shown_in_parts_without_what_is_between() -> None:
    boxes = [Box(100, 100, 60, 30), Box(2000, 900, 60, 30)]
    frame = cell_of((2138, 1100), *boxes).frame
    assert len(frame.parts) == 2
    assert frame.scale == 1
    assert frame.complete


def test_what_is_too_large_is_shown_in_part_and_says_so() -> None:
    frame = cell_of((1440, 9000), Box(0, 200, 1440, 8800)).frame
    assert not frame.complete
    assert frame.scale == 0.5
    assert frame.parts[0].y <= 200


@given(
    st.lists(st.tuples(SIDES, SIDES, st.integers(1, 1500), st.integers(1, 400)), min_size=1),
    st.sampled_from(["faint", "text"]),
)
def test_any_changes_of_a_long_page_fit_on_a_sheet(
    places: list[tuple[int, int, int, int]], kind: ChangeKind
) -> None:
    boxes = [Box(min(x, 1400), y, width, height) for x, y, width, height in places]
    changes = [Change(kind, box, 10, kind) for box in boxes]
    cell = cell_of((1440, 6000), *boxes, changes=changes)
    assert fill_sheet([cell], MOST_PIXELS) is not None
    assert cell.frame.parts


def test_a_wider_image_has_more_device_pixels() -> None:
    assert find_legible_scale(Box(0, 0, 390, 3000)) == 0.5
    assert find_legible_scale(Box(0, 0, 2880, 900)) == pytest.approx(1 / 3)


def test_moved_content_takes_no_room() -> None:
    moved = Change("moved", Box(0, 300, 1440, 3000), 90_000, "moved", Offset(0, 40))
    added = Change("appeared", Box(600, 260, 200, 40), 8000, "appeared")
    cell = cell_of((1440, 3300), Box(0, 260, 1440, 3040), changes=[added, moved])
    assert cell.frame.parts == (Box(552, 212, 296, 136),)


def test_a_sheet_with_few_pixels_has_fewer_pairs_or_none() -> None:
    cells = [make_cell(entry(at, (400, 300), Box(100, 100, 50, 50))) for at in range(16)]
    full, less = fill_sheet(cells, MOST_PIXELS), fill_sheet(cells, 250_000)
    assert full is not None
    assert less is not None
    assert len(full.cells) == 16
    assert 2 <= len(less.cells) < 8
    assert fill_sheet(cells, 20_000) is None


def flat(width: int, height: int, color: Sequence[int]) -> Pixels:
    return np.full((height, width, 4), (*color, 255), np.uint8)


def test_a_sheet_shows_each_pair_at_its_place() -> None:
    colors = [(20 * number, 255 - 20 * number, 90) for number in range(9)]
    before = [flat(300, 200, color) for color in colors]
    after = [image.copy() for image in before]
    for image in after:
        image[80:140, 100:180] = (0, 0, 0, 255)
    cells = [make_cell(entry(at, (300, 200), Box(100, 80, 80, 60))) for at in range(1, 10)]
    plan = fill_sheet(cells, MOST_PIXELS)
    assert plan is not None
    pixels = render([(png(old), png(new)) for old, new in zip(before, after, strict=True)], cells)
    for (cell, left, top), color in zip(plan.cells, colors, strict=True):
        for panel, _, box in cell.panel_boxes(left, top):
            shown = pixels[box.y : box.y + box.height, box.x : box.x + box.width]
            assert tuple(shown[2, 2]) == color
            assert (shown == 0).all(axis=2).any() == (panel.side == "after")
            assert (shown == SMALL_COLOR).all(axis=2).any()


def test_a_faint_change_has_an_amplified_panel() -> None:
    before, after = flat(300, 200, (250, 250, 250)), flat(300, 200, (250, 250, 250))
    after[40:100, 40:100] = (247, 250, 250, 255)
    cell = make_cell(entry(1, (300, 200), Box(40, 40, 60, 60), changes=[FAINT]))
    assert [panel.side for panel in cell.panels] == ["before", "after", "amplified"]
    pixels = render([(png(before), png(after))], [cell])
    plan = fill_sheet([cell], MOST_PIXELS)
    assert plan is not None
    (_, _, box) = list(plan.cells[0][0].panel_boxes(*plan.cells[0][1:]))[-1]
    shown = pixels[box.y : box.y + box.height, box.x : box.x + box.width]
    assert shown[:, :, 0].min() < 200
    assert shown[:, :, 1].min() == 250


def test_a_strong_difference_does_not_hide_a_faint_one() -> None:
    before = Image.new("RGB", (40, 40), (250, 250, 250))
    after = before.copy()
    after.paste((247, 250, 250), (0, 0, 20, 20))
    after.paste((0, 0, 0), (39, 39, 40, 40))
    amplified = amplify(before, after)
    assert amplified.factor == 32
    assert amplified.image.getpixel((5, 5)) == (154, 250, 250)
    assert amplified.image.getpixel((30, 5)) == (250, 250, 250)


def render(files: Sequence[tuple[bytes, bytes]], cells: Sequence[PairCell]) -> Pixels:
    plan = fill_sheet(cells, MOST_PIXELS)
    assert plan is not None
    loaders = [{"before": partial(bytes, old), "after": partial(bytes, new)} for old, new in files]
    made = render_pair_sheet(plan, loaders)  # type: ignore[arg-type]
    assert (made.width, made.height) == (plan.width, plan.height)
    return np.asarray(Image.open(io.BytesIO(made.data)).convert("RGB"))
