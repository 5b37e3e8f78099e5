"""Tells anti-aliased pixels from changed ones, decision for decision as pixelmatch 7.2.

Source: V. Vysniauskas, "Anti-aliased Pixel and Intensity Slope Detector" (2009), with the rules
pixelmatch adds: a pixel is anti-aliased when at most two neighbours equal it, some are darker and
some brighter, and its darkest or brightest neighbour has three equal neighbours in both images.
The edge of the image counts as one equal neighbour.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.colors import Bytes, Ints, brightness, channel_differences

Counts = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# Column by column, as pixelmatch walks: of equally dark neighbours the first one is taken.
AROUND: Final = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))
STEP_X: Final = np.array([dx for dx, _ in AROUND])
STEP_Y: Final = np.array([dy for _, dy in AROUND])
# A pixel with more than two equal neighbours lies in an area of one colour or on its edge.
ENOUGH: Final = 2
# Each candidate takes its eight neighbours along as floats, so few are judged in one go.
CANDIDATES: Final = 1 << 15


@dataclass(frozen=True, slots=True)
class Window:
    """A rectangular part of both images, and where in the whole image (pixels) it lies."""

    first: Bytes
    second: Bytes
    left: int
    top: int
    full_width: int
    full_height: int

    def index(self, ys: Ints, xs: Ints) -> Ints:
        """Return the number of each pixel, counted through the whole image."""
        return (ys + self.top) * self.full_width + (xs + self.left)

    def on_edge(self, ys: Ints, xs: Ints) -> Flags:
        """Tell which pixels touch the edge of the whole image."""
        x, y = xs + self.left, ys + self.top
        edge: Flags = (x == 0) | (y == 0) | (x == self.full_width - 1) | (y == self.full_height - 1)
        return edge


def anti_aliased(window: Window, ys: Ints, xs: Ints) -> Flags:
    """Tell for each pixel (``ys``, ``xs``) of the window whether either image has it anti-aliased.

    The window must reach two pixels further than the pixels asked about, or to the image's edge.
    """
    equal_first = _equal_neighbours(window.first)
    equal_second = _equal_neighbours(window.second)
    result = np.zeros(len(ys), np.bool_)
    for image, equal in ((window.first, equal_first), (window.second, equal_second)):
        # Exactly equal pixels are equally bright too: most pixels are ruled out by this alone.
        open_ = ~result & (equal[ys, xs] + window.on_edge(ys, xs) <= ENOUGH)
        chosen = np.flatnonzero(open_)
        for start in range(0, len(chosen), CANDIDATES):
            part = chosen[start : start + CANDIDATES]
            result[part] = _on_slope(window, image, (equal_first, equal_second), ys[part], xs[part])
    return result


def _equal_neighbours(image: Bytes) -> Counts:
    """Count for each pixel the neighbours of exactly its colour; outside the window are none."""
    # Four channels as one number: a single comparison tells whether two pixels are equal.
    packed = np.ascontiguousarray(image).view(np.uint32)[:, :, 0]
    counts = np.zeros(packed.shape, np.uint8)
    height, width = packed.shape
    # Half of the directions: what is equal to its neighbour is also the neighbour's equal.
    for dx, dy in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        here = (slice(0, height - dy), slice(max(0, -dx), width - max(0, dx)))
        there = (slice(dy, height), slice(max(0, dx), width - max(0, -dx)))
        same = packed[here] == packed[there]
        counts[here] += same
        counts[there] += same
    return counts


def _on_slope(
    window: Window, image: Bytes, equal: tuple[Counts, Counts], ys: Ints, xs: Ints
) -> Flags:
    height, width = image.shape[:2]
    near_y = ys[:, None] + STEP_Y
    near_x = xs[:, None] + STEP_X
    inside = (near_y >= 0) & (near_y < height) & (near_x >= 0) & (near_x < width)
    near_y, near_x = near_y.clip(0, height - 1), near_x.clip(0, width - 1)
    number = window.index(ys, xs)[:, None]
    center = image[ys, xs][:, None, :]
    delta = brightness(*channel_differences(center, image[near_y, near_x], number))
    # What lies outside the image must be neither its darkest nor its brightest neighbour.
    delta[~inside] = 0
    equals = ((delta == 0) & inside).sum(axis=1) + window.on_edge(ys, xs)
    row = np.arange(len(ys))
    darkest, brightest = delta.argmin(axis=1), delta.argmax(axis=1)
    sloped = (equals <= ENOUGH) & (delta[row, darkest] < 0) & (delta[row, brightest] > 0)
    flat = np.zeros(len(ys), np.bool_)
    for extreme in (darkest, brightest):
        y, x = near_y[row, extreme], near_x[row, extreme]
        edge = window.on_edge(y, x)
        flat |= (equal[0][y, x] + edge > ENOUGH) & (equal[1][y, x] + edge > ENOUGH)
    both: Flags = sloped & flat
    return both
