"""Contact sheets: how many there are, what is on them, and that they can be read."""

import io
from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support.imagediff.png_writer import png
from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.rendering.arrangement import LONGEST_SIDE, MOST_PIXELS
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.contact_sheet import render_contact_sheet
from visual_review.imagediff.rendering.contact_sheet_plan import (
    LEAST_SCALE,
    Cell,
    SheetEntry,
    SheetPlan,
    plan_sheet,
    split_into_sheets,
)
from visual_review.imagediff.rendering.encoding import MOST_BYTES
from visual_review.imagediff.rendering.outlines import SMALL_COLOR

Pixels = npt.NDArray[np.uint8]
SIZES = st.tuples(st.integers(1, 4000), st.integers(1, 4000))


def entry(
    number: int,
    before: tuple[int, int] | None,
    after: tuple[int, int] | None,
    *boxes: Box,
    changes: Sequence[Change] = (),
) -> SheetEntry:
    sides = (("before", "Before", before), ("after", "After", after))
    panels = tuple(Panel(name, *size, side) for side, name, size in sides if size is not None)
    return SheetEntry(
        number, f"Story {number}", "light, desktop", "text changed", panels, boxes, tuple(changes)
    )


def overlap(one: Box, two: Box) -> bool:
    return (
        one.x < two.x + two.width
        and two.x < one.x + one.width
        and one.y < two.y + two.height
        and two.y < one.y + one.height
    )


def panels_of(plan: SheetPlan) -> list[Box]:
    return [box for cell in plan.cells for _, box in cell.panel_boxes()]


@given(st.integers(0, 13_000))
def test_a_sheet_has_8_to_16_pairs_if_there_are_as_many(count: int) -> None:
    sheets = split_into_sheets(count)
    assert [number for sheet in sheets for number in sheet] == list(range(count))
    if count >= 8:
        assert all(8 <= len(sheet) <= 16 for sheet in sheets)
    else:
        assert len(sheets) == min(count, 1)


@given(st.lists(st.tuples(st.none() | SIZES, SIZES, st.booleans()), min_size=1, max_size=16))
def test_a_sheet_stays_within_its_limits_and_nothing_overlaps(
    sizes: list[tuple[tuple[int, int] | None, tuple[int, int], bool]],
) -> None:
    entries = []
    for number, (before, after, small) in enumerate(sizes, 1):
        width, height = after
        box = Box(width // 2, height // 2, 1, 1) if small else Box(0, 0, width, height)
        entries.append(entry(number, before, after, box))
    plan = plan_sheet(entries)
    assert max(plan.width, plan.height) <= LONGEST_SIDE
    assert plan.width * plan.height <= MOST_PIXELS
    assert [cell.entry.number for cell in plan.cells] == list(range(1, len(sizes) + 1))
    boxes = panels_of(plan)
    assert not any(overlap(one, two) for at, one in enumerate(boxes) for two in boxes[:at])
    assert all(box.y + box.height <= plan.height for box in boxes)
    assert all(box.x + box.width <= plan.width for box in boxes)


def cell_of(*entries: SheetEntry) -> Cell:
    return plan_sheet(entries).cells[0]


def test_a_pair_is_cropped_to_its_change() -> None:
    cell = cell_of(
        *(entry(at, (1440, 900), (1440, 900), Box(700, 450, 40, 30)) for at in range(12))
    )
    assert cell.frame.crop == Box(640, 402, 160, 126)
    assert cell.frame.scale >= 1
    assert cell.shows_all


def test_of_a_change_that_would_be_illegible_a_part_is_shown() -> None:
    pages = [entry(at, (1440, 4000), (1440, 4000), Box(0, 100, 1440, 3900)) for at in range(12)]
    cell = cell_of(*pages)
    assert cell.frame.scale >= LEAST_SCALE * 0.99
    assert cell.frame.crop.y <= 100
    assert not cell.shows_all


def test_new_and_removed_ones_have_one_panel() -> None:
    for each, side in (
        (entry(1, None, (400, 300)), "after"),
        (entry(1, (400, 300), None), "before"),
    ):
        assert [panel.side for panel, _ in cell_of(each).panel_boxes()] == [side]


def test_moved_content_does_not_make_everything_else_small() -> None:
    moved = Change("moved", Box(0, 300, 1440, 3000), 90_000, "moved", Offset(0, 40))
    added = Change("appeared", Box(600, 260, 200, 40), 8000, "appeared")
    shown = entry(1, (1440, 3260), (1440, 3300), Box(0, 260, 1440, 3040), changes=[added, moved])
    assert cell_of(shown).frame.crop == Box(552, 212, 296, 136)


def flat(width: int, height: int, color: Sequence[int]) -> Pixels:
    return np.full((height, width, 4), (*color, 255), np.uint8)


def test_a_sheet_shows_each_pair_at_its_place() -> None:
    colors = [(20 * number, 255 - 20 * number, 90) for number in range(9)]
    before = [flat(300, 200, color) for color in colors]
    after = [image.copy() for image in before]
    for image in after:
        image[80:140, 100:180] = (0, 0, 0, 255)
    entries = [entry(at, (300, 200), (300, 200), Box(100, 80, 80, 60)) for at in range(1, 10)]
    plan = plan_sheet(entries)
    files = [[png(old), png(new)] for old, new in zip(before, after, strict=True)]
    loaders = [[partial(bytes, file) for file in pair] for pair in files]
    made = render_contact_sheet(plan, "Build 7, sheet 1 of 1", loaders)
    assert len(made.data) <= MOST_BYTES
    assert (made.width, made.height) == (plan.width, plan.height)
    pixels = np.asarray(Image.open(io.BytesIO(made.data)).convert("RGB"))
    for cell, color in zip(plan.cells, colors, strict=True):
        for panel, box in cell.panel_boxes():
            shown = pixels[box.y : box.y + box.height, box.x : box.x + box.width]
            assert tuple(shown[2, 2]) == color
            assert (shown == 0).all(axis=2).any() == (panel.side == "after")
            assert (shown == SMALL_COLOR).all(axis=2).any()
