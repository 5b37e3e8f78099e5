"""Render a mask of differences over a faded image, as a small PNG with a palette."""

import io
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import ANTI_ALIASED, DIFFERENT, Flags, Mask

Indices = npt.NDArray[np.uint8]

# Few shades of gray: they compress well and only have to give orientation.
SHADES: Final = 32
DARKEST: Final = 170
BLANK: Final = SHADES - 1
CHANGED: Final = SHADES
SMOOTHED: Final = SHADES + 1
HATCHED: Final = SHADES + 2
HATCHED_CHANGE: Final = SHADES + 3
HATCH_PERIOD: Final = 8
HATCH_WIDTH: Final = 2
STRIPE: Final = 1 << 18

# Luma in 1/256; the sum is 256, so that white stays white.
LUMA: Final = (77, 150, 29)


def render_mask(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> bytes:
    """Return a PNG of the mask's size; ``regions`` flags the ignored pixels."""
    canvas = np.empty(mask.shape, np.uint8)
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
    image = Image.fromarray(canvas)
    image.putpalette(_create_palette())
    target = io.BytesIO()
    image.save(target, "PNG", compress_level=6)
    return target.getvalue()


def _fade(pixels: Bytes) -> Indices:
    part = pixels.astype(np.uint32)
    luma = (part[:, :, 0] * LUMA[0] + part[:, :, 1] * LUMA[1] + part[:, :, 2] * LUMA[2]) >> 8
    over_white = (luma * part[:, :, 3] + 255 * (255 - part[:, :, 3])) // 255
    return (over_white * SHADES // 256).astype(np.uint8)


def _paint(stripe: Indices, mask: Mask, regions: Flags | None) -> None:
    changed, smooth = mask == DIFFERENT, mask == ANTI_ALIASED
    stripe[changed] = CHANGED
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


def _create_palette() -> bytes:
    shades = np.linspace(DARKEST, 255, SHADES).round().astype(np.uint8)
    gray = shades.repeat(3).tobytes()
    return gray + bytes((255, 0, 0, 255, 210, 0, 120, 160, 255, 190, 90, 190))
