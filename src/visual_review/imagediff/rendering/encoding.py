"""Encode a rendered image as a small enough file for models and people."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import deflate
from PIL import Image

from visual_review.imagediff.container import RGB
from visual_review.imagediff.diff_png import write_png
from visual_review.imagediff.model import ImageInfo

MediaType = Literal["image/png", "image/jpeg"]

# Base64 in an MCP response adds a third, and clients reject responses above 1 MB.
MOST_BYTES: Final = 740_000
# Rows without filters, packed by libdeflate: 24 real composites took 40 % of Pillow's time, and the
# files were 15 % smaller. A higher level takes twice as long for 5 % less.
LEVEL: Final = 6
# Tried in the given order; even noise fits at the last one.
QUALITIES: Final = (92, 80, 60, 40, 20)


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
