"""Places panels on a canvas that whoever reads pictures takes as it is; numbers only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.model import Box

# What models take without shrinking it: pixels on the long side, and in all.
LONGEST_SIDE: Final = 1568
MOST_PIXELS: Final = 1_200_000

PADDING: Final = 16
GAP: Final = 12
HEADING: Final = 84
LABEL: Final = 26
# Narrower, and the heading could not be read.
NARROWEST: Final = 640

# As wide as the label of a panel, however narrow its picture.
NARROWEST_PANEL: Final = 110

# Letters of a page are hard to read below half their size; then stacking may help.
LEGIBLE: Final = 0.5
WORTH_STACKING: Final = 1.5

MOST_ENLARGED: Final = 4
# A panel smaller than this is enlarged.
COMFORTABLE: Final = 320


@dataclass(frozen=True, slots=True)
class Place:
    """Where a panel lies: its label, and its picture below."""

    label: Box
    picture: Box


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where the panels of each crop lie; ``scale`` is pixels shown for a pixel of a picture."""

    scale: float
    stacked: bool
    width: int
    height: int
    # For each crop the places of its panels.
    places: tuple[tuple[Place, ...], ...]


def arrange(crops: Sequence[Box], panels: int) -> Arrangement:
    """Put ``panels`` pictures of each crop side by side, or below each other if that shows more."""
    beside, below = _fit(crops, panels, 1), _fit(crops, 1, panels)
    stacked = beside < LEGIBLE and below >= beside * WORTH_STACKING
    scale = _whole(below if stacked else beside, crops)
    return _place(crops, panels, scale, stacked=stacked)


def _fit(crops: Sequence[Box], columns: int, rows: int) -> float:
    """The largest scale at which the panels fit."""
    across = columns * max(crop.width for crop in crops)
    down = rows * sum(crop.height for crop in crops)
    width = 2 * PADDING + (columns - 1) * GAP
    lines = rows * len(crops)
    height = 2 * PADDING + HEADING + lines * LABEL + (lines - 1) * GAP
    linear = across * height + down * width
    missing = MOST_PIXELS - width * height
    # The positive root of (width + across * s) * (height + down * s) = MOST_PIXELS.
    root = math.sqrt(linear * linear + 4 * across * down * missing)
    by_pixels = (root - linear) / (2 * across * down)
    return min((LONGEST_SIDE - width) / across, (LONGEST_SIDE - height) / down, by_pixels)


def _whole(scale: float, crops: Sequence[Box]) -> float:
    """A whole number from 1 on, so that enlarged pixels stay square; no more than is useful."""
    if scale < 1:
        return scale
    longest = max(max(crop.width, crop.height) for crop in crops)
    return min(math.floor(scale), MOST_ENLARGED, math.ceil(COMFORTABLE / longest))


def _place(crops: Sequence[Box], panels: int, scale: float, *, stacked: bool) -> Arrangement:
    top, right = PADDING + HEADING, NARROWEST - PADDING
    rows: list[tuple[Place, ...]] = []
    for crop in crops:
        width, height = (max(1, math.floor(size * scale)) for size in (crop.width, crop.height))
        across = max(width, NARROWEST_PANEL)
        row: list[Place] = []
        for number in range(panels):
            left = PADDING if stacked else PADDING + number * (across + GAP)
            above = top + number * (LABEL + height + GAP) if stacked else top
            label = Box(left, above, across, LABEL)
            row.append(Place(label, Box(left, above + LABEL, width, height)))
        rows.append(tuple(row))
        last = row[-1].picture
        top, right = last.y + last.height + GAP, max(right, row[-1].label.x + across)
    return Arrangement(scale, stacked, right + PADDING, top - GAP + PADDING, tuple(rows))
