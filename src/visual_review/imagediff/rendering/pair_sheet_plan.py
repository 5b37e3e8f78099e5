"""Plan dense sheets of numbered pairs; pure.

Models pay for each pixel, so each pair takes the pixels needed for its change, in packed cells.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.arrangement import LONGEST_SIDE, MOST_PIXELS
from visual_review.imagediff.rendering.composite_plan import Panel
from visual_review.imagediff.rendering.pair_frames import (
    GAP,
    PairFrame,
    SheetEntry,
    frame_pair,
    is_faint_only,
)

Size = tuple[int, int]
Order = Callable[[Size], int]
# No order is best for all sheets.
ORDERS: Final[tuple[Order, ...]] = (
    lambda size: -size[1],
    lambda size: -size[0],
    lambda size: -size[0] * size[1],
)
MOST_ON_A_SHEET: Final = 16
WIDTHS: Final = tuple(range(1552, 300, -52))
PADDING: Final = 8
CELL_GAP: Final = 12
TITLE_LINE: Final = 20
LABEL_LINE: Final = 15
# A narrower cell has no room for a number and the beginning of a name.
NARROWEST_CELL: Final = 160
SMALLER: Final = 0.9


@dataclass(frozen=True, slots=True)
class PairCell:
    """An entry's part of a sheet. The last of ``panels`` may be an amplified one."""

    entry: SheetEntry
    panels: tuple[Panel, ...]
    frame: PairFrame

    @property
    def size(self) -> Size:
        boxes = [box for _, _, box in self.panel_boxes(0, 0)]
        right = max(box.x + box.width for box in boxes)
        bottom = max(box.y + box.height for box in boxes)
        return max(NARROWEST_CELL, right), bottom

    def panel_boxes(self, left: int, top: int) -> Iterator[tuple[Panel, Box, Box]]:
        """Yield each panel, its part, and the box of its image, below its label."""
        down = top + TITLE_LINE
        for part in self.frame.parts:
            width, height = self.frame.shown(part)
            stacked = self.frame.is_stacked(part)
            for at, panel in enumerate(self.panels):
                across = left if stacked else left + at * (width + GAP)
                yield panel, part, Box(across, down + LABEL_LINE, width, height)
                if stacked:
                    down += LABEL_LINE + height + 2
            down += 2 if stacked else LABEL_LINE + height + GAP


@dataclass(frozen=True, slots=True)
class PairSheetPlan:
    """Cells with the places of their left upper corners, in pixels of the sheet."""

    width: int
    height: int
    cells: tuple[tuple[PairCell, int, int], ...]


def make_cell(entry: SheetEntry) -> PairCell:
    """Choose the view of an entry on a sheet, amplified as well after a faint change."""
    panels = entry.panels
    if len(panels) > 1 and is_faint_only(entry.changes):
        panels = (*panels, Panel("Amplified", *_size_of(entry), "amplified"))
    cell = PairCell(entry, panels, frame_pair(entry, len(panels)))
    # Parts of different shapes, or one above the other, may need more than a sheet.
    while plan_pair_sheet([cell], MOST_PIXELS) is None:
        cell = replace(cell, frame=_reduce(cell.frame))
    return cell


def _reduce(frame: PairFrame) -> PairFrame:
    """Leave out the least important part, or show the only one smaller."""
    if len(frame.parts) > 1:
        return replace(frame, parts=frame.parts[:-1], complete=False)
    return replace(frame, scale=frame.scale * SMALLER)


def plan_pair_sheet(cells: Sequence[PairCell], most_pixels: int) -> PairSheetPlan | None:
    """Return the smallest sheet with all cells, or None if the cells exceed the limits."""
    sizes = [cell.size for cell in cells]
    packed = (pack(sizes, width, CELL_GAP, order) for width in WIDTHS for order in ORDERS)
    found = [_place(cells, boxes) for boxes in packed if boxes is not None]
    limit = min(most_pixels, MOST_PIXELS)
    fitting = [
        plan
        for plan in found
        if max(plan.width, plan.height) <= LONGEST_SIDE and plan.width * plan.height <= limit
    ]
    return min(fitting, key=lambda plan: plan.width * plan.height, default=None)


def fill_sheet(cells: Sequence[PairCell], most_pixels: int) -> PairSheetPlan | None:
    """Return a sheet with as many of the first cells as fit, or None if not even one does."""
    filled: PairSheetPlan | None = None
    for count in range(1, min(len(cells), MOST_ON_A_SHEET) + 1):
        plan = plan_pair_sheet(cells[:count], most_pixels)
        if plan is None:
            break
        filled = plan
    return filled


def _place(cells: Sequence[PairCell], boxes: Sequence[Box]) -> PairSheetPlan:
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    placed = [
        (cell, box.x + PADDING, box.y + PADDING) for cell, box in zip(cells, boxes, strict=True)
    ]
    return PairSheetPlan(right + 2 * PADDING, bottom + 2 * PADDING, tuple(placed))


def _size_of(entry: SheetEntry) -> Size:
    return entry.area.width, entry.area.height


@dataclass(frozen=True, slots=True)
class _Step:
    """A level part of the upper edge of the free space."""

    left: int
    top: int
    right: int


def pack(sizes: Sequence[Size], width: int, gap: int, order: Order) -> list[Box] | None:
    """Return a box for each size, ``gap`` pixels apart, or None if one is wider than ``width``.

    The first in ``order`` are placed first, each as far up as possible, then as far to the left.
    """
    if any(across > width for across, _ in sizes):
        return None
    placed: dict[int, Box] = {}
    edge = [_Step(0, 0, width + gap)]
    for index in sorted(range(len(sizes)), key=lambda at: (order(sizes[at]), at)):
        across, down = sizes[index]
        left, top = min(_places(edge, across + gap), key=lambda place: (place[1], place[0]))
        placed[index] = Box(left, top, across, down)
        edge = _lower(edge, _Step(left, top + down + gap, left + across + gap))
    return [placed[index] for index in range(len(sizes))]


def _places(edge: Sequence[_Step], width: int) -> Iterator[Size]:
    """Yield where something so wide touches the edge from below: left and top."""
    end = edge[-1].right
    for step in edge:
        right = step.left + width
        if right <= end:
            under = [each.top for each in edge if each.left < right and each.right > step.left]
            yield step.left, max(under)


def _lower(edge: Sequence[_Step], new: _Step) -> list[_Step]:
    """Return the edge below the new box."""
    lowered = [new]
    for step in edge:
        if step.left < new.left:
            lowered.append(_Step(step.left, step.top, min(step.right, new.left)))
        if step.right > new.right:
            lowered.append(_Step(max(step.left, new.right), step.top, step.right))
    return sorted(lowered, key=lambda step: step.left)
