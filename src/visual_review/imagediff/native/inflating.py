"""Inflate PNG files into the form read by the library."""

import ctypes
from dataclasses import dataclass
from typing import Final

import deflate

from visual_review.imagediff.container import RGBA, Container, count_inflated_bytes, read_container
from visual_review.imagediff.model import ImageInfo, Limits
from visual_review.imagediff.native.library import Image

CHECKSUM_BYTES: Final = 4


class UnusualFileError(Exception):
    """The file is damaged, or unreadable for the library: the other engine says which."""


@dataclass(slots=True)
class InflatedImage:
    """An image for the library, with its buffer."""

    info: ImageInfo
    image: Image
    data: bytearray

    @property
    def size(self) -> tuple[int, int]:
        return self.info.width, self.info.height


def inflate(data: bytes, limits: Limits) -> InflatedImage:
    """Inflate a file. Raises ImageError for its chunks, UnusualFileError for its image data."""
    container = read_container(data, limits)
    inflated = inflate_exactly(b"".join(container.data), count_inflated_bytes(container.info))
    return InflatedImage(container.info, _describe(container, inflated), inflated)


def inflate_exactly(stream: bytes, size: int) -> bytearray:
    """Inflate a zlib stream (RFC 1950) of ``size`` bytes with nothing after the stream.

    Raises UnusualFileError.
    """
    try:
        inflated = deflate.zlib_decompress(stream, size)
    except deflate.DeflateError as error:
        raise UnusualFileError from error
    # The library does not report the end of the stream, but verified the checksum there. If the
    # checksum is at the end of the data and nowhere before, nothing follows and nothing is in
    # between. So the checksum is computed twice, at a tenth of the time of inflating.
    checksum = deflate.adler32(inflated).to_bytes(CHECKSUM_BYTES)
    if len(inflated) != size or stream.find(checksum) != len(stream) - CHECKSUM_BYTES:
        raise UnusualFileError
    return inflated


def as_pixels(info: ImageInfo, pixels: bytearray) -> InflatedImage:
    """Return decoded RGBA pixels, each row after a filter byte of 0, as an image."""
    plain = ImageInfo(info.width, info.height, 8, RGBA, interlaced=False)
    image = _describe(Container(plain), pixels)
    image.unfiltered = info.height
    return InflatedImage(plain, image, pixels)


def _describe(container: Container, data: bytearray) -> Image:
    info = container.info
    palette, transparency = container.palette or b"", container.transparency or b""
    return Image(
        data=pointer_to(data),
        length=len(data),
        palette=palette,
        palette_length=len(palette),
        transparency=transparency,
        transparency_length=len(transparency),
        width=info.width,
        height=info.height,
        unfiltered=0,
        depth=info.bit_depth,
        color=info.color_type,
    )


def pointer_to(buffer: bytearray | memoryview) -> int:
    """Return a pointer to a buffer; the size of the buffer must not change from then on."""
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))
