"""Which part of a pair of pictures is worth showing: the changes with some of what is around."""

from collections.abc import Iterable, Sequence
from typing import Final

from visual_review.imagediff.model import Box

# A change without its surroundings cannot be placed by whoever looks at it.
MARGIN: Final = 48
MARGIN_SHARE: Final = 10


def focus(boxes: Sequence[Box], width: int, height: int) -> Box:
    """The rectangle around all boxes with a margin, within the area; the area without boxes."""
    if not boxes:
        return Box(0, 0, width, height)
    around = bounds(boxes)
    across = max(MARGIN, around.width // MARGIN_SHARE)
    down = max(MARGIN, around.height // MARGIN_SHARE)
    left, top = max(0, around.x - across), max(0, around.y - down)
    right = min(width, around.x + around.width + across)
    bottom = min(height, around.y + around.height + down)
    return Box(left, top, right - left, bottom - top)


def bounds(boxes: Iterable[Box]) -> Box:
    """The smallest rectangle around one box or more."""
    found = list(boxes)
    left, top = min(box.x for box in found), min(box.y for box in found)
    right = max(box.x + box.width for box in found)
    bottom = max(box.y + box.height for box in found)
    return Box(left, top, right - left, bottom - top)
