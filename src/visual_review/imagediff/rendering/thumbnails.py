"""Thumbnails for lists: of a whole image, and of the changes in an image. All are WebP files."""

import io
from collections.abc import Sequence
from typing import Final

from PIL import Image

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, Limits
from visual_review.imagediff.rendering.annotations import draw_outlines
from visual_review.imagediff.rendering.arrangement import expand, fit_part, scale_to_fit
from visual_review.imagediff.rendering.composite_plan import boxes_to_show
from visual_review.imagediff.rendering.outline_choice import outline_changes, show_changes
from visual_review.imagediff.rendering.windows import Window, read_window

# The largest thumbnail of a whole image, and of a change, in the width of lists.
WHOLE_ROOM: Final = (320, 480)
CHANGE_ROOM: Final = (320, 200)
# Smaller, a change could not be recognized; then only a part is shown.
LEAST_SCALE: Final = 0.4
QUALITY: Final = 80

Size = tuple[int, int]


def render_whole_thumbnail(data: bytes, size: Size, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Return the image of the given width and height, scaled down to fit. Raises ImageError."""
    width, height = size
    scale = min(1.0, WHOLE_ROOM[0] / width, WHOLE_ROOM[1] / height)
    window = _window(Box(0, 0, width, height), scale)
    return _encode(read_window(data, window, limits))


def render_change_thumbnail(
    data: bytes,
    size: Size,
    boxes: Sequence[Box],
    changes: Sequence[Change],
    limits: Limits = DEFAULT_LIMITS,
) -> bytes:
    """Return the changed part of the later image, with outlines. Raises ImageError.

    A change too large for a thumbnail is shown in part; without a change, the whole image is shown.
    """
    area = Box(0, 0, *size)
    crop = fit_part(boxes_to_show(boxes, changes, area), area, CHANGE_ROOM, LEAST_SCALE)
    scale = scale_to_fit(crop, CHANGE_ROOM)
    # The surroundings of a small change help to find it, and all thumbnails have one size.
    crop = expand(crop, area, (int(CHANGE_ROOM[0] / scale), int(CHANGE_ROOM[1] / scale)))
    window = _window(crop, scale)
    image = read_window(data, window, limits)
    outlines = outline_changes(boxes, changes, "after", crop, scale, large_ones=True)
    whole = Box(0, 0, window.width, window.height)
    draw_outlines(image, whole, outlines, show_changes(changes, crop, scale))
    return _encode(image)


def _window(part: Box, scale: float) -> Window:
    return Window(part, max(1, int(part.width * scale)), max(1, int(part.height * scale)))


def _encode(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "WEBP", quality=QUALITY)
    return target.getvalue()
