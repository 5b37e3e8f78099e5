"""Turns a drawn picture into a file small enough for whoever reads pictures."""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from PIL import Image

MediaType = Literal["image/png", "image/jpeg"]

# In the base64 of an MCP answer a third more, and clients refuse answers above 1 MB.
MOST_BYTES: Final = 740_000
# Tried in turn; even noise fits at the last of them.
QUALITIES: Final = (92, 80, 60, 40, 20)


@dataclass(frozen=True, slots=True)
class RenderedImage:
    """A picture as a file."""

    data: bytes
    media_type: MediaType
    width: int
    height: int


def encode(picture: Image.Image) -> RenderedImage:
    """A PNG, or where that is above 740 kB a JPEG as good as fits."""
    for data, media_type in _attempts(picture):
        if len(data) <= MOST_BYTES:
            return RenderedImage(data, media_type, picture.width, picture.height)
    return encode(picture.reduce(2))


def size_of(data: bytes) -> tuple[int, int]:
    """Width and height of a file that ``encode`` made."""
    with Image.open(io.BytesIO(data)) as picture:
        return picture.size


def _attempts(picture: Image.Image) -> Iterator[tuple[bytes, MediaType]]:
    yield _saved(picture, "PNG"), "image/png"
    for quality in QUALITIES:
        yield _saved(picture, "JPEG", quality), "image/jpeg"


def _saved(picture: Image.Image, form: str, quality: int = 0) -> bytes:
    target = io.BytesIO()
    if form == "PNG":
        picture.save(target, form)
    else:
        # Full colour resolution: changed text is often red on white.
        picture.save(target, form, quality=quality, subsampling=0)
    return target.getvalue()
