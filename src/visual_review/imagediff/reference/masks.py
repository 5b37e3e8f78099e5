"""The mask of differences between two images: one byte for each pixel of their union.

Anti-aliased pixels are distinguished from changed ones with the same decisions as pixelmatch 7.2.
Source: V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009), with the rules
added by pixelmatch: a pixel is anti-aliased when at most two neighbors are equal, some are darker
and some brighter, and its darkest or brightest neighbor has three equal neighbors in both images.
The edge of the image counts as one equal neighbor.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Options, Region
from visual_review.imagediff.rectangles import find_rectangle
from visual_review.imagediff.reference.colors import (
    MAX_SQUARED,
    Bytes,
    Ints,
    brightness,
    channel_differences,
    squared_distance,
)

Counts = npt.NDArray[np.uint8]
# Column by column, like pixelmatch: of equally dark neighbors the first one wins.
NEIGHBORS: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
STEP_X: Final = np.array([dx for dx, _ in NEIGHBORS])
STEP_Y: Final = np.array([dy for _, dy in NEIGHBORS])
# A pixel with more than two equal neighbors is in an area of one color or on its edge.
MAX_EQUAL_NEIGHBORS: Final = 2
# Each candidate needs its eight neighbors as floats, so only some are checked at a time.
CANDIDATES_AT_ONCE: Final = 1 << 15
Mask = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
SAME: Final = 0
DIFFERENT: Final = 1
ANTI_ALIASED: Final = 2
# Differs, but by no more than the threshold.
SLIGHT: Final = 3
# A slight difference within a faint area; only after the search for faint areas.
FAINT: Final = 4
# Keeps the temporary arrays of a comparison near 100 MB.
PIXELS_AT_ONCE: Final = 1 << 18
# The neighbors of a pixel and their neighbors decide whether the pixel is anti-aliased.
REACH: Final = 2


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangular part of both images, and its position in the whole image, in pixels."""

    first: Bytes
    second: Bytes
    left: int
    top: int
    full_width: int
    full_height: int

    def index(self, ys: Ints, xs: Ints) -> Ints:
        """Return the index of each pixel in the whole image."""
        return (ys + self.top) * self.full_width + (xs + self.left)

    def on_edge(self, ys: Ints, xs: Ints) -> Flags:
        """Return which pixels touch the edge of the whole image."""
        x, y = xs + self.left, ys + self.top
        edge: Flags = (x == 0) | (y == 0) | (x == self.full_width - 1) | (y == self.full_height - 1)
        return edge


def find_anti_aliased(window: Window, ys: Ints, xs: Ints) -> Flags:
    """Return for each pixel (``ys``, ``xs``) of the window whether the pixel is anti-aliased.

    The window must extend two pixels beyond the given pixels, or to the edge of the image.
    """
    equal_first = _count_equal_neighbors(window.first)
    equal_second = _count_equal_neighbors(window.second)
    result = np.zeros(len(ys), np.bool_)
    for image, equal in ((window.first, equal_first), (window.second, equal_second)):
        # Exactly equal pixels are equally bright, too: the check alone rules out most pixels.
        possible = ~result & (equal[ys, xs] + window.on_edge(ys, xs) <= MAX_EQUAL_NEIGHBORS)
        chosen = np.flatnonzero(possible)
        for start in range(0, len(chosen), CANDIDATES_AT_ONCE):
            part = chosen[start : start + CANDIDATES_AT_ONCE]
            result[part] = _is_on_slope(
                window, image, (equal_first, equal_second), ys[part], xs[part]
            )
    return result


def _count_equal_neighbors(image: Bytes) -> Counts:
    """Count for each pixel the neighbors of exactly its color, within the window."""
    # Four channels as one number: a single comparison checks two pixels for equality.
    packed = np.ascontiguousarray(image).view(np.uint32)[:, :, 0]
    counts = np.zeros(packed.shape, np.uint8)
    height, width = packed.shape
    # Half of the directions suffice, because equality is symmetric.
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        pixel = (slice(0, height - dy), slice(max(0, -dx), width - max(0, dx)))
        neighbor = (slice(dy, height), slice(max(0, dx), width - max(0, -dx)))
        same = packed[pixel] == packed[neighbor]
        counts[pixel] += same
        counts[neighbor] += same
    return counts


def _is_on_slope(
    window: Window, image: Bytes, equal: tuple[Counts, Counts], ys: Ints, xs: Ints
) -> Flags:
    height, width = image.shape[:2]
    near_y = ys[:, None] + STEP_Y
    near_x = xs[:, None] + STEP_X
    inside = (near_y >= 0) & (near_y < height) & (near_x >= 0) & (near_x < width)
    near_y, near_x = near_y.clip(0, height - 1), near_x.clip(0, width - 1)
    index = window.index(ys, xs)[:, None]
    center = image[ys, xs][:, None, :]
    delta = brightness(*channel_differences(center, image[near_y, near_x], index))
    # Nothing outside the image may be the darkest or the brightest neighbor.
    delta[~inside] = 0
    equals = ((delta == 0) & inside).sum(axis=1) + window.on_edge(ys, xs)
    row = np.arange(len(ys))
    darkest, brightest = delta.argmin(axis=1), delta.argmax(axis=1)
    sloped = (
        (equals <= MAX_EQUAL_NEIGHBORS) & (delta[row, darkest] < 0) & (delta[row, brightest] > 0)
    )
    flat = np.zeros(len(ys), np.bool_)
    for extreme in (darkest, brightest):
        y, x = near_y[row, extreme], near_x[row, extreme]
        edge = window.on_edge(y, x)
        flat |= (equal[0][y, x] + edge > MAX_EQUAL_NEIGHBORS) & (
            equal[1][y, x] + edge > MAX_EQUAL_NEIGHBORS
        )
    both: Flags = sloped & flat
    return both


def compute_mask(before: Bytes, after: Bytes, options: Options) -> Mask:
    """Return a mask of every pixel of the union of two RGBA images.

    Pixels of only one image are DIFFERENT. The shared part is compared as if cropped from both.
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
    """Flag the pixels of an area (height, width) touched by any region; None without regions."""
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
