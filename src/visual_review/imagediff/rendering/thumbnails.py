"""Encode rendered images as small files; thumbnails for lists are WebP files."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import deflate
from PIL import Image

from visual_review.imagediff.changes.model import Change
from visual_review.imagediff.container import RGB
from visual_review.imagediff.diff_png import write_png
from visual_review.imagediff.model import DEFAULT_LIMITS, Box, ImageInfo, Limits
from visual_review.imagediff.rendering.annotations import draw_outlines
from visual_review.imagediff.rendering.arrangement import expand, fit_part, scale_to_fit
from visual_review.imagediff.rendering.composite_plan import boxes_to_show
from visual_review.imagediff.rendering.outline_choice import outline_changes, show_changes
from visual_review.imagediff.rendering.windows import Window, read_window

MediaType = Literal["image/png", "image/jpeg"]

# Base64 in an MCP response adds a third, and clients reject responses above 1 MB.
MOST_BYTES: Final = 740_000
# Rows without filters, packed by libdeflate: 24 real composites took 40 % of Pillow's time, and the
# files were 15 % smaller. A higher level takes twice as long for 5 % less.
LEVEL: Final = 6
# Tried in the given order; even noise fits at the last one.
QUALITIES: Final = (92, 80, 60, 40, 20)
# The largest thumbnail of a whole image, and of a change, in the width of lists.
WHOLE_ROOM: Final = (320, 480)
CHANGE_ROOM: Final = (320, 200)
# Smaller, a change could not be recognized; then only a part is shown.
LEAST_SCALE: Final = 0.4
QUALITY: Final = 80
Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """An encoded image with its size in pixels."""

    data: bytes
    media_type: MediaType
    width: int
    height: int


def encode(image: Image.Image) -> RenderedImage:
    """Return a PNG, or instead of one above 740 kB the best JPEG up to 740 kB."""
    for data, media_type in _encode_in_turn(image):
        if len(data) <= MOST_BYTES:
            return RenderedImage(data, media_type, image.width, image.height)
    return encode(image.reduce(2))


def read_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a file created by ``encode``."""
    with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
        return image.size


def _encode_in_turn(image: Image.Image) -> Iterator[tuple[bytes, MediaType]]:
    yield _save_png(image), "image/png"
    for quality in QUALITIES:
        yield _save_jpeg(image, quality), "image/jpeg"


def _save_png(image: Image.Image) -> bytes:
    pixels, stride = image.tobytes(), 3 * image.width
    rows = (pixels[start : start + stride] for start in range(0, len(pixels), stride))
    # The byte in front of each row names its filter: none.
    filtered = b"".join(part for row in rows for part in (b"\0", row))
    info = ImageInfo(image.width, image.height, 8, RGB, interlaced=False)
    return write_png(info, deflate.zlib_compress(filtered, LEVEL))


def _save_jpeg(image: Image.Image, quality: int) -> bytes:
    target = io.BytesIO()
    # Full color resolution: changed text is often red on white.
    image.save(target, "JPEG", quality=quality, subsampling=0)
    return target.getvalue()


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
