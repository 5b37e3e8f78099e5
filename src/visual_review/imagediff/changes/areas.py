"""The areas of a pair with differences once moved content is in its new place.

Content moved and changed at once leaves pieces that look like vanished or new content. Next to
moved content, a piece counts as vanished or new only in one clear case: one block of rows or
columns was inserted or removed, and everything after the block moved by the same distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.boxes import (
    Offsets,
    count_bytes,
    grow,
    is_inside,
    overlap,
    shift,
)
from visual_review.imagediff.changes.kinds import decide_kind
from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.changes.numbers import is_number
from visual_review.imagediff.changes.shapes import Area, join_corners, refine_kind
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import SIDES, Alignment, Marks, Move, describe_areas

FAINT: Final = 4
# Faint pixels of moved content, or within another change, are no change of their own.
HIDDEN: Final = 0.5
# The surroundings, to see whether an area moved with its neighbors.
RING: Final = 8
RING_SHARE: Final = 0.6
# Pieces of moved content are so near to the content.
NEAR: Final = 16
MOSTLY_MOVED: Final = 0.9
# Chromium's scrollbar: its track is visible at both edges, however long the thumb is.
SCROLLBAR_WIDTH: Final = 15
TRACK: Final = 0.6


def find_areas(
    marks: Marks, alignment: Alignment, scrollbar: Box | None = None
) -> tuple[Area, ...]:
    """Measure the areas in both images; an area in only one is a matter of the sizes."""
    shared = Box(0, 0, *(min(sides) for sides in zip(marks.before, marks.after, strict=True)))
    found = [
        measure_scrollbar(marks, alignment, box)
        if is_inside(box, scrollbar)
        else measure_area(marks, alignment, box, find_offset(box, alignment.moves))
        for box in alignment.boxes
        if overlap(box, shared)
    ]
    return join_corners(
        marks, alignment, [area for area in found if not _is_explained(area, found)]
    )


def measure_scrollbar(marks: Marks, alignment: Alignment, box: Box) -> Area:
    features = marks.pair.measure(alignment.mask, box)
    return Area(box, (0, 0), features, "scrollbar", reflowed=False)


def measure_area(marks: Marks, alignment: Alignment, box: Box, offset: Offsets) -> Area:
    features = marks.pair.measure(alignment.mask, box, offset)
    kind, moves = decide_kind(features, box.width), alignment.moves
    reflowed = is_near_moves(box, offset, moves)
    if reflowed:
        kind = decide_near_moves(kind, features, box, moves)
    kind = refine_kind(marks, alignment, kind, features, box)
    number = kind == "text" and offset == (0, 0)
    number = number and all(is_number(marks, side, box) for side in SIDES)
    return Area(box, offset, features, kind, reflowed, number)


def find_scrollbar(marks: Marks) -> Box | None:
    """Return the scrollbar of the page, if both images have one at the right edge."""
    width, height = marks.after
    left = width - SCROLLBAR_WIDTH
    if marks.before != marks.after or left <= SCROLLBAR_WIDTH:
        return None
    for side in SIDES:
        inner, first, last = (
            marks.pair.crop(side, Box(x, 0, 1, height)) for x in (left - 1, left, width - 1)
        )
        if first != last or first != first[:4] * height:
            return None
        pixels = memoryview(inner).cast("I").tolist()
        # A page without a scrollbar may end in one color as well, and continue in the same one.
        if pixels.count(memoryview(first).cast("I")[0]) > (1 - TRACK) * height:
            return None
    return Box(left, 0, SCROLLBAR_WIDTH, height)


def _is_explained(area: Area, others: Sequence[Area]) -> bool:
    """Return whether the lost content of an area was replaced within moved content."""
    change = area.features.change
    if change.ones or change.threes or not change.twos:
        return False
    return any(
        other.offset != (0, 0)
        and other is not area
        and overlap(shift(area.box, other.offset), other.box) * 2
        >= area.box.width * area.box.height
        for other in others
    )


def find_offset(box: Box, moves: Sequence[Move]) -> Offsets:
    """Return how far the surroundings of a box moved, if most of them moved alike."""
    outer = grow(box, RING)
    ring = outer.width * outer.height - box.width * box.height
    covered: dict[Offsets, int] = {}
    for move in moves:
        inner = overlap(move.target, outer) - overlap(move.target, box)
        covered[move.dx, move.dy] = covered.get((move.dx, move.dy), 0) + inner
    best = max(covered, key=lambda offset: (covered[offset], offset), default=(0, 0))
    return best if covered.get(best, 0) >= RING_SHARE * ring else (0, 0)


def is_near_moves(box: Box, offset: Offsets, moves: Sequence[Move]) -> bool:
    """Return whether content next to a box moved, and otherwise than the box itself."""
    outer = grow(box, NEAR)
    return any(
        (move.dx, move.dy) != offset
        and (overlap(move.target, outer) or overlap(source_of(move), outer))
        for move in moves
    )


def decide_near_moves(
    kind: ChangeKind, features: AreaFeatures, box: Box, moves: Sequence[Move]
) -> ChangeKind:
    """Return the kind of an area next to moved content."""
    if len({(move.dx, move.dy) for move in moves}) == 1:
        size = MOSTLY_MOVED * box.width * box.height
        came = sum(overlap(box, move.target) for move in moves)
        left = sum(overlap(box, source_of(move)) for move in moves)
        change = features.change
        if left >= size and not came and not change.twos and not change.threes:
            return "appeared"
        if came >= size and not left and not change.ones and not change.threes:
            return "vanished"
    return "pixels" if kind in ("vanished", "appeared") else kind


def source_of(move: Move) -> Box:
    """Return where moved content was."""
    return shift(move.target, (-move.dx, -move.dy))


@dataclass(frozen=True, slots=True)
class FaintArea:
    """An area of faint pixels, large enough to be seen."""

    area: Area
    pixels: int


def find_faint_areas(
    marks: Marks, alignment: Alignment, areas: Sequence[Area]
) -> tuple[FaintArea, ...]:
    """Return the large faint areas and the strokes without another explanation."""
    size = marks.width, marks.height
    moves = alignment.moves
    covers = [area.box for area in areas]
    covers += [move.target for move in moves] + [source_of(move) for move in moves]
    found = []
    faint = marks.pair.find_faint()
    for box in faint.boxes:
        hidden = sum(overlap(box, cover) for cover in covers)
        pixels = count_marks(marks, box, FAINT)
        if (
            hidden < HIDDEN * box.width * box.height
            and describe_areas(pixels, (box,), size).is_large
        ):
            features = marks.pair.measure(marks.mask, box)
            reflowed = is_near_moves(box, (0, 0), moves)
            found.append(FaintArea(Area(box, (0, 0), features, "faint", reflowed), pixels))
    for box in faint.strokes:
        if sum(overlap(box, cover) for cover in covers) < HIDDEN * box.width * box.height:
            features = marks.pair.measure(marks.mask, box)
            area = Area(box, (0, 0), features, "text", is_near_moves(box, (0, 0), moves))
            found.append(FaintArea(area, count_marks(marks, box, FAINT)))
    return tuple(found)


def count_marks(marks: Marks, box: Box, mark: int) -> int:
    """Return how many pixels of a box have the mark in the mask."""
    return count_bytes(marks.mask, marks.width, box, mark)
