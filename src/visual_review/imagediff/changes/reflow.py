"""What moved content means for the areas around it.

Content that moved and changed at once leaves pieces that look as if something vanished or appeared.
Next to moved content this is said only where nothing else can be meant: where one block of rows or
columns was inserted or removed, and everything after it moved by the same distance.
"""

from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.boxes import Offsets, grow, overlap, shift
from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Move

# The surroundings that say whether an area moved with its neighbors.
RING: Final = 8
RING_SHARE: Final = 0.6
# Pieces of moved content are this near to it.
NEAR: Final = 16
COVERED: Final = 0.9


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
    """Return the kind of what is next to moved content."""
    if len({(move.dx, move.dy) for move in moves}) == 1:
        size = COVERED * box.width * box.height
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
