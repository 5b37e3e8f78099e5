"""Convert unfiltered scanlines to 8-bit RGBA pixels, for every color type and depth of PNG.

Samples of 16 bits are rounded to the nearest of 8 bits, and a pixel that tRNS makes transparent
becomes (0, 0, 0, 0), both as in the PNG reader of pixelmatch's own tests (pngjs).
"""

import struct
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.container import (
    GRAY,
    PALETTE,
    RGB,
    RGBA,
    SAMPLES,
    Container,
)
from visual_review.imagediff.errors import BrokenImageError

Pixels = npt.NDArray[np.uint8]
Wide = npt.NDArray[np.uint16]

BYTE: Final = 8
DOUBLE: Final = 16

# 65535 is 257 times 255, and half of 257 rounds to the nearest.
TO_8_BITS: Final = ((np.arange(65536, dtype=np.uint32) + 128) // 257).astype(np.uint8)


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
        assert colors is not None  # noqa: S101 - The caller checked; this is for the type checker.
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
