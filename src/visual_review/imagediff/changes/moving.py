"""Changes of place and size: content that moved, and images that grew or shrank."""

from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.areas import enclose
from visual_review.imagediff.changes.fading import count_marks
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.changes.wording import describe_move, describe_resize
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Move

DIFFERENT: Final = 1


def list_moves(marks: Marks, moves: Sequence[Move]) -> list[Change]:
    """Return a change for each distance that content moved."""
    targets: dict[Offset, list[Box]] = {}
    for move in moves:
        targets.setdefault(Offset(move.dx, move.dy), []).append(move.target)
    return [_moved(marks, offset, boxes) for offset, boxes in targets.items()]


def list_resizes(marks: Marks, moves: Sequence[Move]) -> list[Change]:
    """Return a change for each side that only one image has."""
    (old_width, old_height), (width, height) = marks.before, marks.after
    found = []
    if old_height != height:
        low, high = sorted((old_height, height))
        strip = Box(0, low, marks.width, high - low)
        at_end = not any(move.dy for move in moves)
        found.append(_resized(marks, strip, describe_resize("y", height - old_height, at_end)))
    if old_width != width:
        low, high = sorted((old_width, width))
        strip = Box(low, 0, high - low, min(old_height, height))
        at_end = not any(move.dx for move in moves)
        found.append(_resized(marks, strip, describe_resize("x", width - old_width, at_end)))
    return found


def _moved(marks: Marks, offset: Offset, boxes: Sequence[Box]) -> Change:
    box = enclose(boxes)
    description = describe_move(offset)
    return Change("moved", box, count_marks(marks, box, DIFFERENT), description, moved_by=offset)


def _resized(marks: Marks, strip: Box, description: str) -> Change:
    return Change("resized", strip, count_marks(marks, strip, DIFFERENT), description)
