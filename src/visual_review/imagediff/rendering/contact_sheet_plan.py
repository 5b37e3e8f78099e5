"""Decide what contact sheets show and where, before any image is read."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.arrangement import (
    LONGEST_SIDE,
    MOST_PIXELS,
    PADDING,
    SMALLEST_SCALE,
    fit_part,
    scale_to_fit,
)
from visual_review.imagediff.rendering.composite_plan import Panel, boxes_to_show
from visual_review.imagediff.rendering.labels import wrap_text
from visual_review.imagediff.rendering.outlines import contains

MOST_ON_A_SHEET: Final = 16
# Where several sheets are needed, each has about this many pairs, and at least eight.
PREFERRED: Final = 12
MOST_COLUMNS: Final = 4
WIDTHS: Final = (1568, 1400, 1250, 1100, 950)
# A pair that would have to be shown smaller is shown in part; new ones as small as a quarter.
LEAST_SCALE: Final = 0.35

TITLE_LINE: Final = 24
TEXT_SIZE: Final = 14
TEXT_LINE: Final = 18
SUMMARY_LINES: Final = 2
LABEL_LINE: Final = 16
HEADING: Final = 34
GAP: Final = 12
# Between one pair and the next.
CELL_GAP: Final = 22

# Of a cell: less would show nothing.
LOWEST_CELL: Final = 180


@dataclass(frozen=True, slots=True)
class View:
    """What a caller asked to see: a part, pixels shown per pixel if they fit, and outlines."""

    crop: Box | None = None
    scale: float | None = None
    outlines: bool = True


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A screenshot on a contact sheet: one panel if it is new or removed, otherwise two."""

    number: int
    title: str
    variant: str
    summary: str
    panels: tuple[Panel, ...]
    boxes: tuple[Box, ...] = ()
    changes: tuple[Change, ...] = ()
    view: View = View()

    @property
    def size(self) -> str:
        sizes = dict.fromkeys(f"{panel.width}x{panel.height}" for panel in self.panels)
        return " to ".join(sizes)

    @property
    def area(self) -> Box:
        width = max(panel.width for panel in self.panels)
        return Box(0, 0, width, max(panel.height for panel in self.panels))


@dataclass(frozen=True, slots=True)
class Frame:
    """How panels fit into a part of a sheet: each shows ``crop``, below a line for its label."""

    crop: Box
    scale: float
    stacked: bool

    @property
    def shown(self) -> tuple[int, int]:
        """Width and height of a panel in pixels of the sheet."""
        return max(1, int(self.crop.width * self.scale)), max(1, int(self.crop.height * self.scale))


@dataclass(frozen=True, slots=True)
class Cell:
    """An entry's part of a sheet."""

    entry: SheetEntry
    box: Box
    frame: Frame
    summary: tuple[str, ...]
    # Where the images of a row of cells begin.
    images_top: int

    def panel_boxes(self) -> Iterator[tuple[Panel, Box]]:
        """Yield each panel with the position of its image; the label is above it."""
        width, height = self.frame.shown
        left, top = self.box.x, self.images_top + LABEL_LINE
        for panel in self.entry.panels:
            yield panel, Box(left, top, width, height)
            if self.frame.stacked:
                top += height + LABEL_LINE + GAP
            else:
                left += width + GAP

    @property
    def shows_all(self) -> bool:
        """Whether everything that changed is shown, except for content that only moved."""
        entry, crop = self.entry, self.frame.crop
        boxes = boxes_to_show(entry.boxes, entry.changes, entry.area)
        return all(contains(crop, box) for box in boxes or [entry.area])


@dataclass(frozen=True, slots=True)
class SheetPlan:
    width: int
    height: int
    cells: tuple[Cell, ...]


def split_into_sheets(count: int) -> list[range]:
    """Return which entries are on each sheet: 8 to 16, or fewer if there are no more."""
    if not count:
        return []
    sheets = 1 if count <= MOST_ON_A_SHEET else math.ceil(count / PREFERRED)
    starts = [count * number // sheets for number in range(sheets + 1)]
    return [range(start, end) for start, end in pairwise(starts)]


def plan_sheet(entries: Sequence[SheetEntry]) -> SheetPlan:
    """Plan a sheet on which the entries are shown as large as possible."""
    grids = [
        (Box(0, 0, width, min(LONGEST_SIDE, MOST_PIXELS // width)), columns)
        for width in WIDTHS
        for columns in range(1, min(MOST_COLUMNS, len(entries)) + 1)
    ]
    sizes = [_cell_size(sheet, columns, len(entries)) for sheet, columns in grids]
    plans = [
        _plan_grid(entries, sheet.width, columns, size)
        for (sheet, columns), size in zip(grids, sizes, strict=True)
        if size[1] >= LOWEST_CELL
    ]
    return max(plans, key=lambda plan: (_legibility(plan), -plan.width * plan.height))


def _cell_size(sheet: Box, columns: int, count: int) -> tuple[int, int]:
    rows = math.ceil(count / columns)
    across = (sheet.width - 2 * PADDING - (columns - 1) * CELL_GAP) // columns
    return across, (sheet.height - 2 * PADDING - HEADING - (rows - 1) * CELL_GAP) // rows


def _legibility(plan: SheetPlan) -> float:
    """Return how large panels are shown, and how many show everything that changed."""
    scales = [min(1.0, cell.frame.scale) for cell in plan.cells]
    complete = sum(cell.shows_all for cell in plan.cells)
    return round((sum(scales) + 2 * complete) / len(plan.cells), 2)


def _plan_grid(
    entries: Sequence[SheetEntry], width: int, columns: int, size: tuple[int, int]
) -> SheetPlan:
    across, down = size
    cells: list[Cell] = []
    top = PADDING + HEADING
    for start in range(0, len(entries), columns):
        row = entries[start : start + columns]
        summaries = [wrap_text(each.summary, TEXT_SIZE, across, SUMMARY_LINES) for each in row]
        text = TITLE_LINE + (1 + max(map(len, summaries))) * TEXT_LINE
        frames = [_fit(entry, across, down - text) for entry in row]
        used = text + max(map(_frame_height, row, frames))
        for number, (entry, frame) in enumerate(zip(row, frames, strict=True)):
            box = Box(PADDING + number * (across + CELL_GAP), top, across, used)
            cells.append(Cell(entry, box, frame, tuple(summaries[number]), top + text))
        top += used + CELL_GAP
    return SheetPlan(width, top - CELL_GAP + PADDING, tuple(cells))


def _frame_height(entry: SheetEntry, frame: Frame) -> int:
    rows = len(entry.panels) if frame.stacked else 1
    return rows * (LABEL_LINE + frame.shown[1]) + (rows - 1) * GAP


def _fit(entry: SheetEntry, width: int, height: int) -> Frame:
    """Choose what is shown of an entry in that much room, and how."""
    choices = (False, True) if len(entry.panels) > 1 else (False,)
    frames = [_fit_panels(entry, width, height, stacked=stacked) for stacked in choices]
    return max(frames, key=lambda frame: frame.crop.width * frame.crop.height * frame.scale)


def _fit_panels(entry: SheetEntry, width: int, height: int, *, stacked: bool) -> Frame:
    room, area = _room(len(entry.panels), width, height, stacked=stacked), entry.area
    if len(entry.panels) > 1:
        boxes = boxes_to_show(entry.boxes, entry.changes, area)
        crop = fit_part(boxes, area, room, LEAST_SCALE)
    else:
        # Of a new one, the whole is worth more than details.
        crop = fit_part([], area, room, SMALLEST_SCALE)
    return Frame(crop, scale_to_fit(crop, room), stacked)


def _room(panels: int, width: int, height: int, *, stacked: bool) -> tuple[int, int]:
    """Return the largest width and height of a panel."""
    if stacked:
        return width, (height - (panels - 1) * GAP) // panels - LABEL_LINE
    return (width - (panels - 1) * GAP) // panels, height - LABEL_LINE
