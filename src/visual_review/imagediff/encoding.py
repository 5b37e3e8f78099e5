"""Encode a rendered image as a file that is small enough for models and people."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from PIL import Image

MediaType = Literal["image/png", "image/jpeg"]

# Base64 in an MCP response adds a third, and clients reject responses above 1 MB.
MOST_BYTES: Final = 740_000
# Tried in this order; even noise fits at the last one.
QUALITIES: Final = (92, 80, 60, 40, 20)


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """An encoded image with its size in pixels."""

    data: bytes
    media_type: MediaType
    width: int
    height: int


def encode(image: Image.Image) -> RenderedImage:
    """Return a PNG, or where that is above 740 kB the best JPEG that is not."""
    for data, media_type in _encode_in_turn(image):
        if len(data) <= MOST_BYTES:
            return RenderedImage(data, media_type, image.width, image.height)
    return encode(image.reduce(2))


def read_size(data: bytes) -> tuple[int, int]:
    """Return width and height of a file that ``encode`` created."""
    with Image.open(io.BytesIO(data), formats=("PNG", "JPEG")) as image:
        return image.size


def _encode_in_turn(image: Image.Image) -> Iterator[tuple[bytes, MediaType]]:
    yield _save(image, "PNG"), "image/png"
    for quality in QUALITIES:
        yield _save(image, "JPEG", quality), "image/jpeg"


def _save(image: Image.Image, form: str, quality: int = 0) -> bytes:
    target = io.BytesIO()
    if form == "PNG":
        image.save(target, form)
    else:
        # Full color resolution: changed text is often red on white.
        image.save(target, form, quality=quality, subsampling=0)
    return target.getvalue()
