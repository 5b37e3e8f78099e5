"""Find strokes gained or lost by letters, although all of their pixels pass as anti-aliased.

See native/src/faint_strokes.rs for the rule; both engines find the same strokes.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import (
    ANTI_ALIASED,
    DIFFERENT,
    FAINT,
    SLIGHT,
    Flags,
    Mask,
)

Luma = npt.NDArray[np.int64]
BEYOND: Final = 40
AROUND: Final = 3
LEAST_INK: Final = 128
LEAST_PERCENT: Final = 40
LEAST_LUMA: Final = 24
WEIGHTS: Final = np.array((77, 150, 29), np.int64)


def find_strokes(
    before: Bytes, after: Bytes, mask: Mask, regions: Flags | None
) -> tuple[tuple[Box, ...], int]:
    """Mark the anti-aliased pixels of strokes as faint; return boxes around them, and a count."""
    height, width = (min(before.shape[axis], after.shape[axis]) for axis in (0, 1))
    codes = mask[:height, :width]
    smooth = codes == ANTI_ALIASED
    if regions is not None:
        smooth &= ~regions[:height, :width]
    if not smooth.any():
        return (), 0
    old, new = (_find_luma(image[:height, :width]) for image in (before, after))
    delta = new - old
    counted = np.where(np.isin(codes, (ANTI_ALIASED, SLIGHT)), delta, 0)
    total, absolute = _sum_around(counted), _sum_around(np.abs(counted))
    is_ink = (np.abs(total) >= LEAST_INK) & (100 * np.abs(total) >= LEAST_PERCENT * absolute)
    beyond = np.maximum(_find_distance(old, new), _find_distance(new, old)) >= BEYOND
    # Next to different pixels, the plain comparison reports the change already.
    seeds = smooth & beyond & is_ink & (_sum_around(codes == DIFFERENT) == 0)
    near = [_sum_around(seeds & (np.sign(total) == sign)) > 0 for sign in (1, -1)]
    strong = smooth & (np.abs(delta) >= LEAST_LUMA)
    flags = np.zeros(mask.shape, np.bool_)
    flags[:height, :width] = strong & (near[0] & (delta > 0) | near[1] & (delta < 0))
    mask[flags] = FAINT
    return find_changed_boxes(flags), int(np.count_nonzero(flags))


def _find_luma(pixels: Bytes) -> Luma:
    """Return the brightness of pixels over white."""
    colors, alpha = pixels[:, :, :3].astype(np.int64), pixels[:, :, 3:].astype(np.int64)
    luma: Luma = ((colors * alpha + 255 * (255 - alpha)) // 255 @ WEIGHTS) >> 8
    return luma


def _find_distance(own: Luma, other: Luma) -> Luma:
    """Return the distance of each pixel beyond the range of its neighbors in the other image."""
    padded = np.pad(other, 1, mode="edge")
    height, width = own.shape
    near = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    distance: Luma = np.maximum(np.minimum.reduce(near) - own, own - np.maximum.reduce(near))
    return distance


def _sum_around(values: npt.NDArray[np.generic]) -> Luma:
    """Return the sum of the square around each pixel."""
    height, width = values.shape
    sums = np.pad(values.astype(np.int64), AROUND).cumsum(axis=0).cumsum(axis=1)
    sums = np.pad(sums, ((1, 0), (1, 0)))
    side = 2 * AROUND + 1
    found: Luma = (
        sums[side : side + height, side : side + width]
        - sums[:height, side : side + width]
        - sums[side : side + height, :width]
        + sums[:height, :width]
    )
    return found
