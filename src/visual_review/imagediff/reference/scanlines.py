"""Inflate image data to unfiltered scanlines, a band of rows at a time."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from visual_review.imagediff.errors import BrokenImageError

Bytes2D = npt.NDArray[np.uint8]

# Small inputs keep the unconsumed tail short, which zlib copies on every bounded call.
INPUT_STEP: Final = 64 * 1024
# Large enough that calls into Pillow are rare, small enough never to hold an image twice.
BAND_BYTES: Final = 2 * 1024 * 1024
# With several pixels to a byte, a band of that size would be 32 times as large once unpacked.
BAND_PIXELS: Final = 2 * 1024 * 1024
LAST_FILTER: Final = 4

# Pillow's filters work on bytes per pixel, so these modes undo them for any sample depth.
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
        """Check that the stream ends here, its checksum is right and nothing follows."""
        while not self._stream.eof:
            # Reading one more byte makes zlib verify the checksum, or shows that there is more.
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
