"""Render a mask of differences over a faded image, as a small PNG with a palette."""

from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.diff_png import (
    BLANK,
    CHANGED,
    FAINTLY_CHANGED,
    HATCHED,
    HATCHED_CHANGE,
    SHADES,
    SMOOTHED,
    write_diff_png,
)
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import ANTI_ALIASED, DIFFERENT, FAINT, Flags, Mask

Indices = npt.NDArray[np.uint8]

HATCH_PERIOD: Final = 8
HATCH_WIDTH: Final = 2
STRIPE: Final = 1 << 18

# Luma in 1/256; the sum is 256, so that white stays white.
LUMA: Final = (77, 150, 29)


def render_mask(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> bytes:
    """Return a PNG of the mask's size; ``regions`` flags the ignored pixels."""
    # Each row of a PNG begins with the number of its filter, which is 0 for none.
    rows_of_file = np.zeros((mask.shape[0], mask.shape[1] + 1), np.uint8)
    canvas = rows_of_file[:, 1:]
    # The taller image is on top, so that inserted rows are visible in place.
    base, other = (after, before) if len(after) > len(before) else (before, after)
    # Stripes keep temporary arrays small; whole periods keep the hatching continuous.
    step = HATCH_PERIOD * max(1, STRIPE // mask.shape[1] // HATCH_PERIOD)
    for top in range(0, len(mask), step):
        rows = slice(top, top + step)
        stripe = canvas[rows]
        stripe[:] = BLANK
        for layer in (other[rows], base[rows]):
            stripe[: len(layer), : layer.shape[1]] = _fade(layer)
        _paint(stripe, mask[rows], None if regions is None else regions[rows])
    return write_diff_png(mask.shape[1], mask.shape[0], rows_of_file.data.cast("B"))


def _fade(pixels: Bytes) -> Indices:
    part = pixels.astype(np.uint32)
    luma = (part[:, :, 0] * LUMA[0] + part[:, :, 1] * LUMA[1] + part[:, :, 2] * LUMA[2]) >> 8
    over_white = (luma * part[:, :, 3] + 255 * (255 - part[:, :, 3])) // 255
    return (over_white * SHADES // 256).astype(np.uint8)


def _paint(stripe: Indices, mask: Mask, regions: Flags | None) -> None:
    changed, smooth = mask == DIFFERENT, mask == ANTI_ALIASED
    stripe[changed] = CHANGED
    # There are none in regions.
    stripe[mask == FAINT] = FAINTLY_CHANGED
    if regions is None:
        stripe[smooth] = SMOOTHED
        return
    stripe[smooth & ~regions] = SMOOTHED
    stripe[regions & _flag_hatching(mask.shape)] = HATCHED
    # Changes in a region are shown, too: people check their regions with this image.
    stripe[regions & changed] = HATCHED_CHANGE


def _flag_hatching(shape: tuple[int, ...]) -> Flags:
    across = np.arange(shape[1], dtype=np.uint32)
    down = np.arange(shape[0], dtype=np.uint32)[:, None]
    return (across + down) % HATCH_PERIOD < HATCH_WIDTH
