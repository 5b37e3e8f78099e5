"""Choose one part of an image that shows a change in a given room; pure."""

from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.crops import MARGIN, enclose_with_surroundings
from visual_review.imagediff.model import Box

Size = tuple[int, int]

MOST_ENLARGED: Final = 3
# A part is at least a third as high as wide: of a strip, one could not tell where it is.
LOWEST_SHARE: Final = 3


def fit_part(boxes: Sequence[Box], area: Box, room: Size, least: float) -> Box:
    """Return the part of the area with all boxes and their surroundings, or all of it without boxes.

    Where that would be shown at a scale below ``least``, it is a part with the beginning of the
    first box, the most important one.
    """
    crop = enclose_with_surroundings(boxes, area) if boxes else area
    if scale_to_fit(crop, room) < least:
        crop = _fill_room(crop, (boxes or [area])[0], room, least)
    return _heighten(crop, area, room)


def scale_to_fit(crop: Box, room: Size) -> float:
    """Return the scale at which the crop fills the room; enlarged by integers only."""
    scale = max(0.0, min(room[0] / crop.width, room[1] / crop.height))
    return scale if scale < 1 else float(min(MOST_ENLARGED, int(scale)))


def _fill_room(crop: Box, first: Box, room: Size, least: float) -> Box:
    """Return a part of the crop with the beginning of ``first`` that fills the room."""
    width, height = (max(1, int(side / least)) for side in room)
    width, height = min(crop.width, width), min(crop.height, height)
    left = min(max(crop.x, first.x - MARGIN), crop.x + crop.width - width)
    top = min(max(crop.y, first.y - MARGIN), crop.y + crop.height - height)
    return Box(left, top, width, height)


def _heighten(crop: Box, area: Box, room: Size) -> Box:
    """Return a low crop with more of what is above and below, as far as there is room."""
    most = int(room[1] / scale_to_fit(crop, room))
    return expand(crop, area, (crop.width, min(most, crop.width // LOWEST_SHARE)))


def expand(crop: Box, area: Box, size: Size) -> Box:
    """Return the crop with more of what is around it, within the area, up to this size."""
    width = max(crop.width, min(size[0], area.width))
    height = max(crop.height, min(size[1], area.height))
    left = min(max(0, crop.x - (width - crop.width) // 2), area.width - width)
    top = min(max(0, crop.y - (height - crop.height) // 2), area.height - height)
    return Box(left, top, width, height)
