"""The areas of a pair that differ once moved content is in its new place."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.kinds import decide_kind
from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks, Move

# The surroundings that say whether an area moved with its neighbors.
RING: Final = 8
RING_SHARE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the later image, which the earlier one has ``offset`` to the left and above."""

    box: Box
    offset: tuple[int, int]
    features: AreaFeatures
    kind: ChangeKind


def find_areas(marks: Marks, alignment: Alignment) -> tuple[Area, ...]:
    """Measure the areas that both images have; what only one has is a matter of their sizes."""
    shared = Box(0, 0, *(min(sides) for sides in zip(marks.before, marks.after, strict=True)))
    found = [
        measure_area(marks, alignment, box, _find_offset(box, alignment.moves))
        for box in alignment.boxes
        if overlap(box, shared)
    ]
    return tuple(area for area in found if not _is_explained(area, found))


def measure_area(marks: Marks, alignment: Alignment, box: Box, offset: tuple[int, int]) -> Area:
    features = marks.pair.measure(alignment.mask, box, offset)
    return Area(box, offset, features, decide_kind(features, box.width))


def overlap(one: Box, two: Box) -> int:
    """Return how many pixels two boxes share."""
    width = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    height = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    return max(0, width) * max(0, height)


def enclose(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around all of at least one."""
    corners = [(box.x, box.y, box.x + box.width, box.y + box.height) for box in boxes]
    lefts, tops, rights, bottoms = zip(*corners, strict=True)
    left, top = min(lefts), min(tops)
    return Box(left, top, max(rights) - left, max(bottoms) - top)


def _find_offset(box: Box, moves: Sequence[Move]) -> tuple[int, int]:
    """Return how far the surroundings of a box moved, if most of them moved alike."""
    outer = Box(box.x - RING, box.y - RING, box.width + 2 * RING, box.height + 2 * RING)
    ring = outer.width * outer.height - box.width * box.height
    covered: dict[tuple[int, int], int] = {}
    for move in moves:
        inner = overlap(move.target, outer) - overlap(move.target, box)
        covered[move.dx, move.dy] = covered.get((move.dx, move.dy), 0) + inner
    best = max(covered, key=lambda offset: (covered[offset], offset), default=(0, 0))
    return best if covered.get(best, 0) >= RING_SHARE * ring else (0, 0)


def _is_explained(area: Area, others: Sequence[Area]) -> bool:
    """Return whether what is lost here is what was replaced in content that moved."""
    change = area.features.change
    if change.ones or change.threes or not change.twos:
        return False
    return any(
        other.offset != (0, 0)
        and other is not area
        and overlap(_shift(area.box, other.offset), other.box) * 2
        >= area.box.width * area.box.height
        for other in others
    )


def _shift(box: Box, offset: tuple[int, int]) -> Box:
    return Box(box.x + offset[0], box.y + offset[1], box.width, box.height)
