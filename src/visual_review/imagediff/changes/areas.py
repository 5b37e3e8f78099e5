"""The areas of a pair that differ once moved content is in its new place."""

from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.imagediff.changes.boxes import Offsets, overlap, shift
from visual_review.imagediff.changes.kinds import decide_kind
from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.changes.reflow import decide_near_moves, find_offset, is_near_moves
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the later image, which the earlier one has ``offset`` to the left and above.

    ``reflowed`` if content next to it moved otherwise.
    """

    box: Box
    offset: Offsets
    features: AreaFeatures
    kind: ChangeKind
    reflowed: bool


def find_areas(marks: Marks, alignment: Alignment) -> tuple[Area, ...]:
    """Measure the areas that both images have; what only one has is a matter of their sizes."""
    shared = Box(0, 0, *(min(sides) for sides in zip(marks.before, marks.after, strict=True)))
    found = [
        measure_area(marks, alignment, box, find_offset(box, alignment.moves))
        for box in alignment.boxes
        if overlap(box, shared)
    ]
    return tuple(area for area in found if not _is_explained(area, found))


def measure_area(marks: Marks, alignment: Alignment, box: Box, offset: Offsets) -> Area:
    features = marks.pair.measure(alignment.mask, box, offset)
    kind, moves = decide_kind(features, box.width), alignment.moves
    reflowed = is_near_moves(box, offset, moves)
    if reflowed:
        kind = decide_near_moves(kind, features, box, moves)
    return Area(box, offset, features, kind, reflowed)


def _is_explained(area: Area, others: Sequence[Area]) -> bool:
    """Return whether what is lost here is what was replaced in content that moved."""
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
