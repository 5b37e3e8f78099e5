"""Rectangles of pixels: their intersections, unions and differences."""

from collections.abc import Iterable

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Buffer

Offsets = tuple[int, int]


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


def grow(box: Box, margin: int) -> Box:
    """Return the box with a margin, possibly beyond the image."""
    width, height = box.width + 2 * margin, box.height + 2 * margin
    return Box(box.x - margin, box.y - margin, width, height)


def shift(box: Box, offset: Offsets) -> Box:
    return Box(box.x + offset[0], box.y + offset[1], box.width, box.height)


def is_inside(box: Box, other: Box | None) -> bool:
    return other is not None and overlap(box, other) == box.width * box.height


def count_bytes(mask: Buffer, width: int, box: Box, value: int) -> int:
    """Return how many pixels of a box have the value in a mask with rows of ``width`` bytes."""
    view = memoryview(mask)
    starts = (y * width + box.x for y in range(box.y, box.y + box.height))
    return sum(bytes(view[start : start + box.width]).count(value) for start in starts)
