"""Choose the parts of a pair on a dense sheet, and their size: legible, with few pixels; pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageChops

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.arrangement import LEGIBLE, MARGIN, enclose_with_surroundings
from visual_review.imagediff.rendering.composite_plan import (
    Panel,
    boxes_to_show,
    clip,
    moved_boxes,
)
from visual_review.imagediff.rendering.outline_choice import (
    contains,
    enclose,
    is_easily_missed,
    meet,
)

# The largest faint difference becomes about this large; more would turn shades into flat colors.
VISIBLE: Final = 110
MOST: Final = 32
LEAST: Final = 2
# Larger differences in a color are visible without amplification.
FAINT: Final = 48
# Of all panels of a pair together. A legible pair takes about the first number, and no pair takes
# more than the second, a whole desktop page at half its size.
USUAL_PIXELS: Final = 120_000
MOST_PIXELS: Final = 700_000
# Of a panel: a sheet is no larger.
WIDEST: Final = 1530
HIGHEST: Final = 1480
# Of a cell's panels side by side.
WIDEST_ROW: Final = WIDEST
GAP: Final = 8
# Changes far apart are shown in a few parts if the parts take half the pixels.
FEW_PARTS: Final = 4
WORTH_PARTS: Final = 0.5
MOST_PARTS: Final = 6
# Wide parts are easier to compare one above the other.
STACKED_SHAPE: Final = 3
# An image wider than any viewport of ours has more than one pixel per CSS pixel, so the image stays
# legible at a smaller scale, down to a third.
NEARLY_LEGIBLE: Final = 0.85
VIEWPORT: Final = 1440
LEAST_LEGIBLE: Final = 1 / 3
ENLARGED: Final = 2.0


@dataclass(frozen=True, slots=True)
class AmplifiedImage:
    """The image before, with each difference ``factor`` times as large."""

    image: Image.Image
    factor: int

    @property
    def label(self) -> str:
        return f"Differences {self.factor} times amplified"


def amplify(before: Image.Image, after: Image.Image) -> AmplifiedImage:
    """Return ``before`` with the differences of ``after`` exaggerated, of RGB images of one size."""
    more, less = ImageChops.subtract(after, before), ImageChops.subtract(before, after)
    factor = max(LEAST, min(MOST, VISIBLE // max(_largest_faint(each) for each in (more, less))))
    table = [min(255, value * factor) for value in range(256)] * 3
    image = ImageChops.add(before, more.point(table))
    return AmplifiedImage(ImageChops.subtract(image, less.point(table)), factor)


def _largest_faint(differences: Image.Image) -> int:
    """Return the largest of the faint differences in any color, at least 1."""
    counts = differences.histogram()
    faint = (value for value in range(FAINT, 0, -1) if any(counts[value::256]))
    return next(faint, 1)


def is_faint_only(changes: Iterable[Change]) -> bool:
    """Whether all changes are hard to see without amplification."""
    return {change.kind for change in changes} - {"noise"} == {"faint"}


@dataclass(frozen=True, slots=True)
class View:
    """The view requested by a caller: a part, shown pixels per pixel if they fit, and outlines."""

    crop: Box | None = None
    scale: float | None = None
    outlines: bool = True


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A screenshot on a sheet: one panel if new or removed, otherwise two."""

    number: int
    title: str
    variant: str
    panels: tuple[Panel, ...]
    boxes: tuple[Box, ...] = ()
    changes: tuple[Change, ...] = ()
    view: View = View()

    @property
    def area(self) -> Box:
        width = max(panel.width for panel in self.panels)
        return Box(0, 0, width, max(panel.height for panel in self.panels))


@dataclass(frozen=True, slots=True)
class PairFrame:
    """The view of a pair on a sheet: each part once a panel, all at one scale.

    ``complete`` says whether all changed or moved content is shown.
    """

    parts: tuple[Box, ...]
    scale: float
    panels: int
    complete: bool

    def shown(self, part: Box) -> tuple[int, int]:
        """Return width and height of a panel in pixels of the sheet."""
        return max(1, int(part.width * self.scale)), max(1, int(part.height * self.scale))

    def is_stacked(self, part: Box) -> bool:
        """Whether the panels of a part are one above the other."""
        width, height = self.shown(part)
        too_wide = self.panels * (width + GAP) - GAP > WIDEST_ROW
        return self.panels > 1 and (too_wide or width >= STACKED_SHAPE * height)


def find_legible_scale(area: Box) -> float:
    """Return the smallest scale for legible texts in images of the area's size."""
    return max(LEAST_LEGIBLE, LEGIBLE * min(1.0, VIEWPORT / area.width))


def frame_pair(entry: SheetEntry, panels: int) -> PairFrame:
    """Choose the frame of an entry with so many panels."""
    area = entry.area
    legible = find_legible_scale(area)
    boxes = boxes_to_show(entry.boxes, entry.changes, area) if len(entry.panels) > 1 else []
    if entry.view.crop is not None or entry.view.scale is not None:
        return _frame_as_asked(entry, boxes, panels)
    whole = enclose_with_surroundings(boxes, area) if boxes else area
    parts, scale = [whole], _scale_of([whole], panels, legible)
    if scale < legible <= scale / NEARLY_LEGIBLE:
        # A little too small is better than in part.
        legible = scale
    if scale < 1 and len(boxes) > 1:
        apart = _join_near([enclose_with_surroundings([box], area) for box in boxes])
        is_worth = len(apart) <= FEW_PARTS and _pixels(apart) <= WORTH_PARTS * _pixels(parts)
        if is_worth or scale < legible:
            parts, scale = _fit_parts(apart, panels, legible)
    if scale < legible:
        parts, scale = [_truncate(parts[0], (boxes or [area])[0], panels, legible)], legible
    if scale == 1 and boxes and _is_tiny(boxes, entry.changes):
        enough = _pixels(parts) * panels * ENLARGED**2 <= 2 * USUAL_PIXELS
        scale = ENLARGED if enough and _fits(parts, ENLARGED) else scale
    return PairFrame(tuple(parts), scale, panels, _is_complete(entry, parts, boxes))


def _frame_as_asked(entry: SheetEntry, boxes: Sequence[Box], panels: int) -> PairFrame:
    """Show the caller's part at the caller's scale, as far as a sheet is large enough."""
    area, view = entry.area, entry.view
    part = view.crop or (enclose_with_surroundings(boxes, area) if boxes else area)
    wanted = _scale_of([part], panels, find_legible_scale(area))
    scale = wanted if view.scale is None else min(view.scale, _largest_scale([part], panels))
    return PairFrame((part,), scale, panels, _is_complete(entry, [part], boxes))


def _is_complete(entry: SheetEntry, parts: Sequence[Box], boxes: Sequence[Box]) -> bool:
    moved = (clip(box, entry.area) for box in moved_boxes(entry.changes))
    seen = [*(boxes or [entry.area]), *(box for box in moved if box.width and box.height)]
    return all(any(contains(part, box) for part in parts) for box in seen)


def _is_tiny(boxes: Sequence[Box], changes: Sequence[Change]) -> bool:
    """Whether no part of the change is large enough to see at its own size."""
    moved = any(change.kind == "moved" for change in changes)
    return not moved and all(is_easily_missed(box, 1) for box in boxes)


def _fit_parts(parts: Sequence[Box], panels: int, legible: float) -> tuple[list[Box], float]:
    """Return the first, most important parts, as many as are legible together."""
    shown = list(parts[:MOST_PARTS])
    while len(shown) > 1 and _scale_of(shown, panels, legible) < legible:
        shown.pop()
    return shown, _scale_of(shown, panels, legible)


def _scale_of(parts: Sequence[Box], panels: int, legible: float) -> float:
    """Return the scale for the parts; below ``legible`` if a whole part needs a smaller scale."""
    usual = math.sqrt(USUAL_PIXELS / (_pixels(parts) * panels))
    return min(1.0, _largest_scale(parts, panels), max(usual, legible))


def _largest_scale(parts: Sequence[Box], panels: int) -> float:
    """Return the scale at which the parts fill a sheet."""
    largest = math.sqrt(MOST_PIXELS / (_pixels(parts) * panels))
    # Parts are one below the other, each with room for one more label.
    high = HIGHEST / sum(part.height + GAP for part in parts)
    return min(largest, high, *(WIDEST / part.width for part in parts))


def _fits(parts: Sequence[Box], scale: float) -> bool:
    """Return whether the parts, one below the other, fit on a sheet at the given scale."""
    high = sum(part.height * scale + GAP for part in parts)
    return high <= HIGHEST and all(part.width * scale <= WIDEST for part in parts)


def _pixels(parts: Sequence[Box]) -> int:
    return sum(part.width * part.height for part in parts)


def _join_near(parts: Sequence[Box]) -> list[Box]:
    """Return boxes around parts with shared pixels, in the order of the first of each."""
    joined: list[Box] = []
    for part in parts:
        box, at = part, len(joined)
        while near := [other for other in joined if meet(other, box)]:
            at = min(at, *(joined.index(other) for other in near))
            joined = [other for other in joined if other not in near]
            box = enclose([box, *near])
        joined.insert(at, box)
    return joined


def _truncate(part: Box, first: Box, panels: int, legible: float) -> Box:
    """Return the beginning of ``first`` and its surroundings, as much as is legible."""
    width = min(part.width, int(WIDEST / legible))
    most = MOST_PIXELS / legible**2 / panels
    height = min(part.height, int(HIGHEST / legible) - GAP)
    if width * height > most:
        # A part of about the shape of a screen shows more than a strip.
        width = min(width, max(int(math.sqrt(most * 1.6)), int(most / height)))
        height = min(height, int(most / width))
    left = min(max(part.x, first.x - MARGIN), part.x + part.width - width)
    top = min(max(part.y, first.y - MARGIN), part.y + part.height - height)
    return Box(left, top, width, height)
