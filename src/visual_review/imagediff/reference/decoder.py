"""Decode PNG files into pixels, within limits of time and memory."""

import hashlib
from collections.abc import Iterator

import numpy as np

from visual_review.imagediff.container import (
    ADAM7,
    SAMPLES,
    Container,
    count_row_bytes,
    read_container,
    read_header,
)
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits, VerifiedImage
from visual_review.imagediff.reference.samples import PixelReader, Pixels
from visual_review.imagediff.reference.scanlines import (
    BAND_BYTES,
    BAND_PIXELS,
    Inflater,
    read_scanlines,
)


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """Return the image as uint8 RGBA of shape (height, width, 4).

    Reads the whole file; raises ImageError if anything in it is damaged or exceeds the limits.
    """
    container = read_container(data, limits)
    info = container.info
    pixels = np.empty((info.height, info.width, 4), np.uint8)
    if info.interlaced:
        _fill_interlaced(pixels, container)
        return pixels
    top = 0
    for band in _read_sequential(container):
        pixels[top : top + len(band)] = band
        top += len(band)
    return pixels


def hash_pixels(data: bytes, limits: Limits = DEFAULT_LIMITS) -> VerifiedImage:
    """Read the whole file and return its size and the digest of its pixels.

    Needs memory for a band of rows only, unless the file is interlaced. Raises ImageError.
    """
    info = read_header(data, limits)
    # The size is part of the digest: the same pixels fill a 2 x 3 and a 3 x 2 image.
    digest = hashlib.sha256(info.width.to_bytes(8) + info.height.to_bytes(8))
    if info.interlaced:
        digest.update(decode(data, limits).data)
    else:
        for band in _read_sequential(read_container(data, limits)):
            digest.update(np.ascontiguousarray(band).data)
    return VerifiedImage(info.width, info.height, digest.hexdigest())


def read_bands(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Iterator[Pixels]:
    """Yield the rows of the image as RGBA, some at a time, top to bottom; raises ImageError.

    Needs memory for these rows only, unless the file is interlaced.
    """
    container = read_container(data, limits)
    if not container.info.interlaced:
        yield from _read_sequential(container)
        return
    pixels = np.empty((container.info.height, container.info.width, 4), np.uint8)
    _fill_interlaced(pixels, container)
    step = max(1, BAND_BYTES // (4 * container.info.width))
    for top in range(0, len(pixels), step):
        yield pixels[top : top + step]


def _read_sequential(container: Container) -> Iterator[Pixels]:
    info = container.info
    source = Inflater(container.data)
    yield from _read_rgba(container, source, info.width, info.height)
    source.finish()


def _fill_interlaced(pixels: Pixels, container: Container) -> None:
    source = Inflater(container.data)
    for left, top, across, down in ADAM7:
        target = pixels[top::down, left::across]
        # In a small image, a pass without pixels has no filter bytes either.
        if target.size:
            row = 0
            for band in _read_rgba(container, source, target.shape[1], target.shape[0]):
                target[row : row + len(band)] = band
                row += len(band)
    source.finish()


def _read_rgba(container: Container, source: Inflater, width: int, height: int) -> Iterator[Pixels]:
    info = container.info
    reader = PixelReader(container)
    # Filters look back a whole pixel, or a byte where several pixels share one (section 9.2).
    look_back = max(1, SAMPLES[info.color_type] * info.bit_depth // 8)
    row_size, most_rows = count_row_bytes(info, width), BAND_PIXELS // width
    for band in read_scanlines(source, height, row_size, look_back, most_rows):
        yield reader.to_rgba(band, width)
