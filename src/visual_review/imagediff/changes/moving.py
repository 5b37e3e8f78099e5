"""Changes of place and size: content that moved, and images that grew or shrank."""

from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.boxes import enclose
from visual_review.imagediff.changes.fading import count_marks
from visual_review.imagediff.changes.model import Change, Offset
from visual_review.imagediff.changes.wording import describe_move, describe_resize
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Move

DIFFERENT: Final = 1
# Boxes that are so much of the one around them are all of it.
COVERED: Final = 0.8


def list_moves(marks: Marks, moves: Sequence[Move]) -> list[Change]:
    """Return a change for each distance that content moved."""
    targets: dict[Offset, list[Box]] = {}
    for move in moves:
        targets.setdefault(Offset(move.dx, move.dy), []).append(move.target)
    boxes = {offset: enclose(found) for offset, found in targets.items()}
    if len(targets) == 1:
        ((offset, found),) = targets.items()
        boxes[offset] = _extend(marks, offset, found)
    return [_moved(marks, offset, box) for offset, box in boxes.items()]


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


def _moved(marks: Marks, offset: Offset, box: Box) -> Change:
    pixels = count_marks(marks, box, DIFFERENT)
    return Change("moved", box, pixels, describe_move(offset), moved_by=offset)


def _extend(marks: Marks, offset: Offset, targets: Sequence[Box]) -> Box:
    """Return the box around content that moved up or down, with all below it if that is empty."""
    box = enclose(targets)
    covered = sum(target.width * target.height for target in targets)
    if offset.x or covered < COVERED * box.width * box.height:
        return box
    width, height = marks.after
    right, bottom = box.x + box.width, box.y + box.height
    rest = (
        Box(0, box.y, box.x, box.height),
        Box(right, box.y, width - right, box.height),
        Box(0, bottom, width, height - bottom),
    )
    if all(_is_flat(marks, each) for each in rest):
        return Box(0, box.y, width, height - box.y)
    return box


def _is_flat(marks: Marks, box: Box) -> bool:
    if box.width <= 0 or box.height <= 0:
        return True
    return marks.pair.measure(marks.mask, box).after.inked == 0


def _resized(marks: Marks, strip: Box, description: str) -> Change:
    return Change("resized", strip, count_marks(marks, strip, DIFFERENT), description)
