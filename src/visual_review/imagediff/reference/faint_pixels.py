"""How two images differ in single pixels, for what looks for faint areas."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import SLIGHT, Flags, Mask

Values = npt.NDArray[np.int32]
Part = tuple[slice, slice]

LEAST: Final = 3
MARGIN: Final = 2
# After the three channels; in 1/256 of them.
LUMA: Final = 3
WEIGHTS: Final = np.array((77, 150, 29), np.int32)


@dataclass(frozen=True, slots=True)
class Difference:
    """The mask's codes outside regions, and by how much each channel and the largest differ.

    ``new`` flags a color that is nowhere around the pixel in the other image, ``new_luma``
    such a brightness.
    """

    codes: Mask
    delta: Values
    strength: Values

    new: Flags
    new_luma: Flags

    @property
    def candidates(self) -> Flags:
        flags: Flags = (self.codes == SLIGHT) & (self.strength >= LEAST)
        return flags


def find_difference(before: Bytes, after: Bytes, codes: Mask, part: Part) -> Difference:
    """Return how a part of two images differs; ``codes`` has the mask of it without regions."""
    (old, around_old), (new, around_new) = (_read(image, part) for image in (before, after))
    delta = (new - old)[:, :, :LUMA]
    delta[codes == 0] = 0
    found = np.logical_or(_find_beyond(old, around_new), _find_beyond(new, around_old))
    strength = np.abs(delta).max(axis=2)
    beyond = np.logical_or.reduce(found, axis=2)
    return Difference(codes, delta, strength, beyond, found[:, :, LUMA])


def turn(difference: Difference) -> Difference:
    """Exchange rows and columns."""
    delta = difference.delta.transpose(1, 0, 2)
    return Difference(
        difference.codes.T,
        delta,
        difference.strength.T,
        difference.new.T,
        difference.new_luma.T,
    )


def _read(image: Bytes, part: Part) -> tuple[Values, tuple[Values, Values]]:
    """Return the colors of a part, and the least and most of each channel around each pixel."""
    wider, margins = zip(
        *(_widen(each, image.shape[axis]) for axis, each in enumerate(part)), strict=True
    )
    colors = _with_luma(image[wider])
    padded = np.pad(colors, (*margins, (0, 0)), mode="edge")
    height, width = (each.stop - each.start for each in part)
    near = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    inner = tuple(
        slice(1 - margin[0], 1 - margin[0] + size)
        for margin, size in zip(margins, (height, width), strict=True)
    )
    return colors[inner], (_reduce(np.minimum, near), _reduce(np.maximum, near))


def _reduce(function: np.ufunc, parts: list[Values]) -> Values:
    found = parts[0].copy()
    for part in parts[1:]:
        function(found, part, out=found)
    return found


def _widen(part: slice, size: int) -> tuple[slice, tuple[int, int]]:
    """Return a slice with the pixels next to it, and how many the image does not have."""
    start, stop = max(0, part.start - 1), min(size, part.stop + 1)
    return slice(start, stop), (start - (part.start - 1), part.stop + 1 - stop)


def _find_beyond(own: Values, around: tuple[Values, Values]) -> Flags:
    flags: Flags = (own < around[0] - MARGIN) | (own > around[1] + MARGIN)
    return flags


def _with_luma(pixels: Bytes) -> Values:
    """Return red, green and blue over white, and their luma."""
    colors, alpha = pixels[:, :, :3].astype(np.int32), pixels[:, :, 3:].astype(np.int32)
    values: Values = np.empty(pixels.shape, np.int32)
    values[:, :, :LUMA] = (colors * alpha + 255 * (255 - alpha)) // 255
    values[:, :, LUMA] = (values[:, :, :LUMA] @ WEIGHTS) >> 8
    return values
