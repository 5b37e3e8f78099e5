"""Places panels on a canvas that whoever reads pictures takes as it is; numbers only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from visual_review.imagediff.model import Box

# What models take without shrinking it: pixels on the long side, and in all.
LONGEST_SIDE: Final = 1568
MOST_PIXELS: Final = 1_200_000

PADDING: Final = 14
GAP: Final = 12
HEADING: Final = 78
LABEL: Final = 26
# Narrower, and the heading could not be read; and a panel is as wide as its label at least.
NARROWEST: Final = 640
NARROWEST_PANEL: Final = 190

# Letters of a page are hard to read below half their size; then stacking may help.
LEGIBLE: Final = 0.5
WORTH_STACKING: Final = 1.3

# A panel smaller than this is enlarged.
COMFORTABLE: Final = 400
MOST_ENLARGED: Final = 4
# Halving so often finds a scale to a hundredth of a percent.
HALVINGS: Final = 14

# The panels of a crop stand side by side; if need be below each other; or every crop is a column.
Order = Literal["beside", "stacked", "columns"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a panel lies: its label, and its picture below."""

    label: Box
    picture: Box


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Where the panels of each crop lie; ``scale`` is pixels shown for a pixel of a picture."""

    scale: float
    order: Order
    width: int
    height: int
    places: tuple[tuple[Place, ...], ...]

    @property
    def fits(self) -> bool:
        """Whether nobody has to shrink it."""
        longest = max(self.width, self.height)
        return longest <= LONGEST_SIDE and self.width * self.height <= MOST_PIXELS


def arrange(crops: Sequence[Box], panels: int) -> Arrangement:
    """Put ``panels`` pictures of each crop side by side, or below each other if that shows more."""
    beside = _largest(crops, panels, "beside")
    if beside.scale >= LEGIBLE:
        return beside
    stacked = _largest(crops, panels, "stacked")
    return stacked if stacked.scale >= beside.scale * WORTH_STACKING else beside


def arrange_columns(crops: Sequence[Box]) -> Arrangement:
    """Put one picture's parts beside each other, like the columns of a newspaper."""
    return _largest(crops, 1, "columns")


def _largest(crops: Sequence[Box], panels: int, order: Order) -> Arrangement:
    """Enlarged by a whole number, so that pixels stay square, or shrunk no more than needed."""
    longest = max(max(crop.width, crop.height) for crop in crops)
    useful = min(MOST_ENLARGED, math.ceil(COMFORTABLE / longest))
    for scale in range(useful, 0, -1):
        arrangement = _placed(crops, panels, scale, order)
        if arrangement.fits:
            return arrangement
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        fits = _placed(crops, panels, middle, order).fits
        low, high = (middle, high) if fits else (low, middle)
    return _placed(crops, panels, low, order)


def _placed(crops: Sequence[Box], panels: int, scale: float, order: Order) -> Arrangement:
    left, top = PADDING, PADDING + HEADING
    right = bottom = 0
    rows: list[tuple[Place, ...]] = []
    for crop in crops:
        size = (max(1, math.floor(crop.width * scale)), max(1, math.floor(crop.height * scale)))
        row = _row(panels, (left, top), size, stacked=order == "stacked")
        rows.append(tuple(row))
        right = max(right, row[-1].label.x + row[-1].label.width)
        bottom = max(bottom, row[-1].picture.y + row[-1].picture.height)
        if order == "columns":
            left = right + GAP
        else:
            top = bottom + GAP
    width = max(NARROWEST, right + PADDING)
    return Arrangement(scale, order, width, bottom + PADDING, tuple(rows))


def _row(
    panels: int, corner: tuple[int, int], size: tuple[int, int], *, stacked: bool
) -> list[Place]:
    width, height = size
    across = max(width, NARROWEST_PANEL)
    # Where stacking is allowed, a narrow crop among wide ones still has its panels side by side.
    beside = PADDING + panels * (across + GAP) - GAP + PADDING <= LONGEST_SIDE
    down = stacked and not beside
    step = (0, LABEL + height + GAP) if down else (across + GAP, 0)
    row: list[Place] = []
    for number in range(panels):
        left, top = corner[0] + number * step[0], corner[1] + number * step[1]
        label = Box(left, top, across, LABEL)
        row.append(Place(label, Box(left, top + LABEL, width, height)))
    return row
