"""The mask of differences between two images: one byte for each pixel of their union."""

from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.area import find_rectangle
from visual_review.imagediff.model import Options, Region
from visual_review.imagediff.reference.antialiasing import Window, find_anti_aliased
from visual_review.imagediff.reference.colors import MAX_SQUARED, Bytes, squared_distance

Mask = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

SAME: Final = 0
DIFFERENT: Final = 1
ANTI_ALIASED: Final = 2
# Differs, but by no more than the threshold.
SLIGHT: Final = 3
# The same, as a part of a faint area; only once these were looked for.
FAINT: Final = 4

# Keeps the temporary arrays of a comparison near 100 MB.
PIXELS_AT_ONCE: Final = 1 << 18
# An anti-aliased pixel is recognized by its neighbors and by theirs.
REACH: Final = 2


def compute_mask(before: Bytes, after: Bytes, options: Options) -> Mask:
    """Return a mask of every pixel of the union of two RGBA images.

    What only one of them has is DIFFERENT. The shared part is compared as if cropped from both.
    """
    height = max(before.shape[0], after.shape[0])
    width = max(before.shape[1], after.shape[1])
    shared_height = min(before.shape[0], after.shape[0])
    shared_width = min(before.shape[1], after.shape[1])
    mask = np.zeros((height, width), np.uint8)
    mask[shared_height:] = DIFFERENT
    mask[:, shared_width:] = DIFFERENT
    shared = (slice(0, shared_height), slice(0, shared_width))
    _mark_shared(mask[shared], before[shared], after[shared], options)
    return mask


def flag_regions(shape: tuple[int, int], regions: tuple[Region, ...]) -> Flags | None:
    """Flag the pixels of an area (height, width) that any region touches; None without regions."""
    if not regions:
        return None
    height, width = shape
    flags = np.zeros(shape, np.bool_)
    for region in regions:
        left, top, right, bottom = find_rectangle(region, (width, height))
        flags[top:bottom, left:right] = True
    return flags


def _mark_shared(mask: Mask, before: Bytes, after: Bytes, options: Options) -> None:
    step = max(1, PIXELS_AT_ONCE // before.shape[1])
    for top in range(0, len(before), step):
        rows = slice(top, top + step)
        # Two 32-bit pixels compare faster than eight bytes, and equal bands are done here.
        unequal = _pack_pixels(before[rows]) != _pack_pixels(after[rows])
        # Finding flags visits every element, so rows without any are skipped first.
        differing = np.flatnonzero(unequal.any(axis=1))
        if not differing.size:
            continue
        first = int(differing[0])
        ys, xs = unequal[first : int(differing[-1]) + 1].nonzero()
        _mark_pixels(mask, before, after, options, (ys + top + first, xs))


def _pack_pixels(pixels: Bytes) -> npt.NDArray[np.uint32]:
    return np.ascontiguousarray(pixels).view(np.uint32)[:, :, 0]


def _mark_pixels(
    mask: Mask,
    before: Bytes,
    after: Bytes,
    options: Options,
    at: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]],
) -> None:
    ys, xs = at
    index = ys * before.shape[1] + xs
    distance = squared_distance(before[ys, xs], after[ys, xs], index)
    over = distance > MAX_SQUARED * options.threshold * options.threshold
    mask[ys, xs] = np.where(over, DIFFERENT, SLIGHT)
    ys, xs = ys[over], xs[over]
    if options.include_anti_aliased or not ys.size:
        return
    window = _window_around(before, after, (ys, xs))
    smooth = find_anti_aliased(window, ys - window.top, xs - window.left)
    mask[ys[smooth], xs[smooth]] = ANTI_ALIASED


def _window_around(
    before: Bytes, after: Bytes, at: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
) -> Window:
    height, width = before.shape[:2]
    (top, bottom), (left, right) = (
        (max(0, int(axis.min()) - REACH), int(axis.max()) + REACH + 1) for axis in at
    )
    part = (slice(top, bottom), slice(left, right))
    return Window(before[part], after[part], left, top, width, height)
