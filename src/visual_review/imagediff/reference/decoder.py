"""Decode PNG files into pixels, within limits of time and memory.

Samples of 16 bits are rounded to the nearest of 8 bits, and a pixel transparent by tRNS becomes
(0, 0, 0, 0), both as in the PNG reader of pixelmatch's own tests (pngjs).
"""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from visual_review.imagediff.container import (
    ADAM7,
    GRAY,
    PALETTE,
    RGB,
    RGBA,
    SAMPLES,
    Container,
    count_row_bytes,
    read_container,
    read_header,
)
from visual_review.imagediff.errors import BrokenImageError
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits, VerifiedImage

Pixels = npt.NDArray[np.uint8]
Wide = npt.NDArray[np.uint16]
BYTE: Final = 8
DOUBLE: Final = 16
# 65535 is 257 times 255, and half of 257 rounds to the nearest.
TO_8_BITS: Final = ((np.arange(65536, dtype=np.uint32) + 128) // 257).astype(np.uint8)
Bytes2D = npt.NDArray[np.uint8]
# Small inputs keep the unconsumed tail short, because zlib copies the tail on every bounded call.
INPUT_STEP: Final = 64 * 1024
# Large enough for few calls into Pillow, small enough never to hold an image twice.
BAND_BYTES: Final = 2 * 1024 * 1024
# With several pixels to a byte, a band of BAND_BYTES would be 32 times as large once unpacked.
BAND_PIXELS: Final = 2 * 1024 * 1024
LAST_FILTER: Final = 4
# Pillow's filters work on bytes per pixel, so the modes undo filters for any sample depth.
MODES: Final = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}


class Inflater:
    """Inflates exactly as many bytes as requested, never more, from a list of pieces."""

    def __init__(self, pieces: Iterable[memoryview]) -> None:
        self._inputs = _steps(pieces)
        self._stream = zlib.decompressobj()

    def read(self, size: int) -> bytes:
        """Return ``size`` bytes or raise BrokenImageError when the stream is damaged or short."""
        parts: list[bytes] = []
        missing = size
        while missing:
            part = self._step(missing)
            if part is None:
                raise BrokenImageError(
                    f"the image data ends early: {missing:,} bytes of the image are missing"
                )
            parts.append(part)
            missing -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def finish(self) -> None:
        """Check the end of the stream and its checksum, and that nothing follows."""
        while not self._stream.eof:
            # One more byte makes zlib verify the checksum, or shows the surplus.
            part = self._step(1)
            if part is None:
                raise BrokenImageError("the image data is truncated before its checksum")
            if part:
                raise BrokenImageError("the image data contains more than the header announces")
        if self._stream.unused_data or any(self._inputs):
            raise BrokenImageError("stray bytes follow the compressed image data")

    def _step(self, most: int) -> bytes | None:
        if self._stream.eof:
            return None
        source = self._stream.unconsumed_tail or next(self._inputs, None)
        if source is None:
            return None
        try:
            return self._stream.decompress(source, most)
        except zlib.error as error:
            raise BrokenImageError(f"the image data is damaged: {error}") from error


def _steps(pieces: Iterable[memoryview]) -> Iterator[memoryview]:
    for piece in pieces:
        for start in range(0, len(piece), INPUT_STEP):
            yield piece[start : start + INPUT_STEP]


def read_scanlines(
    source: Inflater, height: int, row_size: int, pixel_bytes: int, most_rows: int
) -> Iterator[Bytes2D]:
    """Yield unfiltered scanlines in arrays of (rows, ``row_size``), top to bottom.

    ``pixel_bytes`` is the distance the filters look back: 1, 2, 3, 4, 6 or 8.
    """
    step = max(1, min(BAND_BYTES // (row_size + 1), most_rows))
    above = np.zeros(row_size, np.uint8)
    for start in range(0, height, step):
        count = min(step, height - start)
        packed = np.frombuffer(source.read(count * (row_size + 1)), np.uint8)
        packed = packed.reshape(count, row_size + 1)
        if packed[:, 0].max() > LAST_FILTER:
            raise BrokenImageError("the image data uses an unknown row filter")
        band = _unfilter(packed, above, pixel_bytes)
        above = band[-1]
        yield band


def _unfilter(packed: Bytes2D, above: Bytes2D, pixel_bytes: int) -> Bytes2D:
    if not packed[:, 0].any():
        return packed[:, 1:]
    if pixel_bytes in MODES:
        return _unfilter_by_pillow(packed, above, pixel_bytes)
    # Bytes of a pixel are filtered independently, so halves of a 16-bit pixel can be unfiltered.
    half = pixel_bytes // 2
    rows, size = len(packed), packed.shape[1] - 1
    result = np.empty((rows, size // pixel_bytes, pixel_bytes), np.uint8)
    body = packed[:, 1:].reshape(result.shape)
    upper = above.reshape(result.shape[1:])
    for part in (slice(0, half), slice(half, pixel_bytes)):
        plain = np.empty((rows, 1 + size // 2), np.uint8)
        plain[:, 0] = packed[:, 0]
        plain[:, 1:] = body[:, :, part].reshape(rows, -1)
        done = _unfilter_by_pillow(plain, upper[:, part].reshape(-1), half)
        result[:, :, part] = done.reshape(rows, -1, half)
    return result.reshape(rows, size)


def _unfilter_by_pillow(packed: Bytes2D, above: Bytes2D, pixel_bytes: int) -> Bytes2D:
    # The row above the band comes first, as an unfiltered row, so each band decodes on its own.
    first = b"\0" + above.tobytes()
    # Pillow's decoder wants a zlib stream; level 0 wraps the rows without the work of compressing.
    stream = zlib.compress(first + packed.tobytes(), 0)
    mode = MODES[pixel_bytes]
    size = ((packed.shape[1] - 1) // pixel_bytes, len(packed) + 1)
    image = Image.frombytes(mode, size, stream, "zip", mode)
    flat = np.frombuffer(image.tobytes(), np.uint8)
    return flat.reshape(size[1], -1)[1:]


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """Return the image as uint8 RGBA of shape (height, width, 4).

    Reads the whole file; raises ImageError for damage anywhere and for exceeded limits.
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

    Needs memory for the yielded rows only, unless the file is interlaced.
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


class PixelReader:
    """Converts bands of scanlines of one image to RGBA."""

    def __init__(self, container: Container) -> None:
        self._info = container.info
        self._colors = _indexed_colors(container)
        self._known = len(container.palette or b"") // 3
        self._key = _transparent_key(container)

    def to_rgba(self, rows: Pixels, width: int) -> Pixels:
        """Return (rows, ``width``, 4) pixels of scanlines with ``width`` pixels each."""
        if self._colors is not None:
            return self._from_indices(_unpack(rows, self._info.bit_depth, width))
        samples: Pixels | Wide = rows
        if self._info.bit_depth == DOUBLE:
            # PNG writes the high byte first.
            samples = np.ascontiguousarray(rows).view(">u2").astype(np.uint16)
        samples = samples.reshape(len(rows), width, SAMPLES[self._info.color_type])
        eight = TO_8_BITS[samples] if self._info.bit_depth == DOUBLE else samples.astype(np.uint8)
        if self._info.color_type == RGBA:
            return np.ascontiguousarray(eight)
        return self._spread(eight, samples)

    def _spread(self, eight: Pixels, samples: Pixels | Wide) -> Pixels:
        pixels = np.empty((*eight.shape[:2], 4), np.uint8)
        has_color = self._info.color_type == RGB
        pixels[:, :, :3] = eight if has_color else eight[:, :, :1]
        pixels[:, :, 3] = 255 if has_color or self._info.color_type == GRAY else eight[:, :, 1]
        if self._key is not None:
            pixels[(samples == self._key).all(axis=2)] = 0
        return pixels

    def _from_indices(self, indices: Pixels) -> Pixels:
        if self._info.color_type == PALETTE and indices.max() >= self._known:
            raise BrokenImageError(
                f"a pixel uses palette entry {indices.max()}, the palette has {self._known}"
            )
        colors = self._colors
        assert colors is not None  # noqa: S101 - The caller checked; for the type checker.
        return colors[indices].view(np.uint8).reshape(*indices.shape, 4)


def _unpack(rows: Pixels, depth: int, width: int) -> Pixels:
    """Unpack samples of 1, 2, 4 or 8 bits to one byte each, the leftmost from the high bits."""
    if depth == BYTE:
        return rows
    shifts = np.arange(8 - depth, -1, -depth, dtype=np.uint8)
    spread = (rows[:, :, None] >> shifts) & np.uint8(2**depth - 1)
    # Rows end at a byte boundary, so the last byte may have bits of no pixel.
    return spread.reshape(len(rows), -1)[:, :width]


def _indexed_colors(container: Container) -> npt.NDArray[np.uint32] | None:
    """Return the color of every sample value as packed RGBA, where there are few values."""
    info = container.info
    if info.bit_depth == DOUBLE or info.color_type not in (GRAY, PALETTE):
        return None
    table = np.zeros((256, 4), np.uint8)
    table[:, 3] = 255
    if info.color_type == PALETTE:
        entries = np.frombuffer(container.palette or b"", np.uint8).reshape(-1, 3)
        table[: len(entries), :3] = entries
        # tRNS may be shorter than the palette; entries without an alpha stay opaque.
        alphas = np.frombuffer(container.transparency or b"", np.uint8)
        table[: len(alphas), 3] = alphas
    else:
        most = 2**info.bit_depth - 1
        table[: most + 1, :3] = (np.arange(most + 1) * 255 // most)[:, None]
        if container.transparency is not None:
            table[container.transparency[1] & most] = 0
    return table.view(np.uint32).reshape(-1)


def _transparent_key(container: Container) -> Wide | None:
    """Return the samples of the one transparent color of a PNG without alpha or palette."""
    if container.transparency is None or container.info.color_type not in (GRAY, RGB):
        return None
    count = len(container.transparency) // 2
    key = np.array(struct.unpack(f">{count}H", container.transparency), np.uint16)
    # Of fewer than 16 bits only the low ones count (PNG specification 11.3.1.1).
    return key & np.uint16(2**container.info.bit_depth - 1)
