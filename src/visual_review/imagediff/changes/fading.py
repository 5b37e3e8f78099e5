"""Faint changes: areas that differ by no more than the threshold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.areas import Area
from visual_review.imagediff.changes.boxes import overlap
from visual_review.imagediff.changes.reflow import is_near_moves, source_of
from visual_review.imagediff.faint import describe_areas
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks

FAINT: Final = 4
# Faint pixels of moved content, or within another change, are no change of their own.
COVERED: Final = 0.5


@dataclass(frozen=True, slots=True)
class FaintArea:
    """An area of faint pixels, large enough to be seen."""

    area: Area
    pixels: int


def find_faint_areas(
    marks: Marks, alignment: Alignment, areas: Sequence[Area]
) -> tuple[FaintArea, ...]:
    """Return the large faint areas that nothing else explains."""
    size = marks.width, marks.height
    moves = alignment.moves
    covers = [area.box for area in areas]
    covers += [move.target for move in moves] + [source_of(move) for move in moves]
    found = []
    for box in marks.pair.find_faint().boxes:
        hidden = sum(overlap(box, cover) for cover in covers)
        pixels = count_marks(marks, box, FAINT)
        if (
            hidden < COVERED * box.width * box.height
            and describe_areas(pixels, (box,), size).is_large
        ):
            features = marks.pair.measure(marks.mask, box)
            reflowed = is_near_moves(box, (0, 0), moves)
            found.append(FaintArea(Area(box, (0, 0), features, "faint", reflowed), pixels))
    return tuple(found)


def count_marks(marks: Marks, box: Box, mark: int) -> int:
    """Return how many pixels of a box have that byte in the mask."""
    mask = memoryview(marks.mask)
    starts = (y * marks.width + box.x for y in range(box.y, box.y + box.height))
    return sum(bytes(mask[start : start + box.width]).count(mark) for start in starts)
