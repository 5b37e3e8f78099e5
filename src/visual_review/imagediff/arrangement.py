"""Arrange panels on a canvas that models and people can read without scaling; geometry only."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from visual_review.imagediff.model import Box

# What models accept without scaling it down: pixels on the long side, and in total.
LONGEST_SIDE: Final = 1568
MOST_PIXELS: Final = 1_200_000

PADDING: Final = 14
GAP: Final = 12
HEADING: Final = 78
LABEL: Final = 26
# A narrower heading would be illegible; and a panel is at least as wide as its label.
NARROWEST: Final = 640
NARROWEST_PANEL: Final = 190

# Text is hard to read below half its size; then stacking may help.
LEGIBLE: Final = 0.5
WORTH_STACKING: Final = 1.3

# A panel smaller than this is enlarged.
COMFORTABLE: Final = 400
MOST_ENLARGED: Final = 4
# So many bisections find a scale to a hundredth of a percent.
BISECTIONS: Final = 14

# The panels of a crop are side by side, or stacked if need be; or every crop is a column.
Order = Literal["side_by_side", "stacked", "columns"]


@dataclass(frozen=True, slots=True)
class PanelLayout:
    """Position of a panel: its label, and its image below."""

    label: Box
    image: Box


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Position of each crop's panels; ``scale`` is pixels shown per pixel of an image."""

    scale: float
    order: Order
    width: int
    height: int
    layouts: tuple[tuple[PanelLayout, ...], ...]

    @property
    def fits(self) -> bool:
        """Whether the canvas can be read without scaling it down."""
        longest = max(self.width, self.height)
        return longest <= LONGEST_SIDE and self.width * self.height <= MOST_PIXELS


def arrange(crops: Sequence[Box], panels: int) -> Arrangement:
    """Arrange ``panels`` images of each crop side by side, or stacked if that shows them larger."""
    side_by_side = _arrange_largest(crops, panels, "side_by_side")
    if side_by_side.scale >= LEGIBLE:
        return side_by_side
    stacked = _arrange_largest(crops, panels, "stacked")
    return stacked if stacked.scale >= side_by_side.scale * WORTH_STACKING else side_by_side


def arrange_at(crops: Sequence[Box], panels: int, scale: float) -> Arrangement:
    """Arrange the panels at this scale; where that is too large, as large as they fit."""
    orders: tuple[Order, ...] = ("side_by_side", "stacked")
    wanted = (_lay_out(crops, panels, scale, order) for order in orders)
    fitting = next((arrangement for arrangement in wanted if arrangement.fits), None)
    return fitting or arrange(crops, panels)


def arrange_columns(crops: Sequence[Box]) -> Arrangement:
    """Arrange the parts of one image side by side, like the columns of a newspaper."""
    return _arrange_largest(crops, 1, "columns")


def _arrange_largest(crops: Sequence[Box], panels: int, order: Order) -> Arrangement:
    """Enlarge by an integer factor, so that pixels stay square, or shrink no more than needed."""
    longest = max(max(crop.width, crop.height) for crop in crops)
    useful = min(MOST_ENLARGED, math.ceil(COMFORTABLE / longest))
    for scale in range(useful, 0, -1):
        arrangement = _lay_out(crops, panels, scale, order)
        if arrangement.fits:
            return arrangement
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        fits = _lay_out(crops, panels, middle, order).fits
        low, high = (middle, high) if fits else (low, middle)
    return _lay_out(crops, panels, low, order)


def _lay_out(crops: Sequence[Box], panels: int, scale: float, order: Order) -> Arrangement:
    left, top = PADDING, PADDING + HEADING
    right = bottom = 0
    rows: list[tuple[PanelLayout, ...]] = []
    for crop in crops:
        size = (max(1, math.floor(crop.width * scale)), max(1, math.floor(crop.height * scale)))
        row = _lay_out_row(panels, (left, top), size, stacked=order == "stacked")
        rows.append(tuple(row))
        right = max(right, row[-1].label.x + row[-1].label.width)
        bottom = max(bottom, row[-1].image.y + row[-1].image.height)
        if order == "columns":
            left = right + GAP
        else:
            top = bottom + GAP
    width = max(NARROWEST, right + PADDING)
    return Arrangement(scale, order, width, bottom + PADDING, tuple(rows))


def _lay_out_row(
    panels: int, corner: tuple[int, int], size: tuple[int, int], *, stacked: bool
) -> list[PanelLayout]:
    width, height = size
    across = max(width, NARROWEST_PANEL)
    # Even where stacking is allowed, the panels of a narrow crop are side by side.
    fits_in_row = PADDING + panels * (across + GAP) - GAP + PADDING <= LONGEST_SIDE
    is_stacked = stacked and not fits_in_row
    step = (0, LABEL + height + GAP) if is_stacked else (across + GAP, 0)
    row: list[PanelLayout] = []
    for number in range(panels):
        left, top = corner[0] + number * step[0], corner[1] + number * step[1]
        label = Box(left, top, across, LABEL)
        row.append(PanelLayout(label, Box(left, top + LABEL, width, height)))
    return row
