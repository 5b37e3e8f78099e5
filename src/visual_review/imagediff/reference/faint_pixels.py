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
# Luma in 1/256.
LUMA: Final = np.array((77, 150, 29), np.int32)


@dataclass(frozen=True, slots=True)
class Difference:
    """The mask's codes outside regions, and by how much each channel and the largest differ."""

    codes: Mask
    delta: Values
    strength: Values

    @property
    def candidates(self) -> Flags:
        flags: Flags = (self.codes == SLIGHT) & (self.strength >= LEAST)
        return flags


def find_difference(before: Bytes, after: Bytes, codes: Mask) -> Difference:
    """Return how parts of two images differ; ``codes`` has the mask without regions."""
    delta = _over_white(after) - _over_white(before)
    delta[codes == 0] = 0
    return Difference(codes, delta, np.abs(delta).max(axis=2))


def flag_extremes(image: Bytes, part: Part) -> Flags:
    """Flag pixels of a part of all columns of which no neighbor is darker, or none is brighter."""
    rows = part[0]
    top, bottom = max(0, rows.start - 1), min(image.shape[0], rows.stop + 1)
    luma = (_over_white(image[top:bottom]) @ LUMA) >> 8
    missing = (top - (rows.start - 1), rows.stop + 1 - bottom)
    padded = np.pad(luma, (missing, (1, 1)), mode="edge")
    height, width = rows.stop - rows.start, image.shape[1]
    own = padded[1 : 1 + height, 1 : 1 + width]
    darkest, brightest = own.copy(), own.copy()
    for y in range(3):
        for x in range(3):
            near = padded[y : y + height, x : x + width]
            np.minimum(darkest, near, out=darkest)
            np.maximum(brightest, near, out=brightest)
    flags: Flags = (darkest >= own - MARGIN) | (brightest <= own + MARGIN)
    return flags


def _over_white(pixels: Bytes) -> Values:
    colors, alpha = pixels[:, :, :3].astype(np.int32), pixels[:, :, 3:].astype(np.int32)
    values: Values = (colors * alpha + 255 * (255 - alpha)) // 255
    return values
