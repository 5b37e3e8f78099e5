"""Arrange panels, and choose their crops, on a canvas legible for models and people."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from visual_review.imagediff.model import Box

Size = tuple[int, int]
MOST_ENLARGED_CROP: Final = 3
# A part is at least a third as high as wide: the place of a mere strip would be unclear.
LOWEST_SHARE: Final = 3
# Without its surroundings, no person could locate a change.
MARGIN: Final = 48
MARGIN_SHARE: Final = 10
NARROWEST_CROP: Final = 160
LOWEST_CROP: Final = 100
MOST_CROPS: Final = 4
MOST_COLUMNS: Final = 7
# More parts than needed are shown only where everything becomes so much larger.
NEARLY_AS_LARGE: Final = 0.8
# Below a quarter nothing is legible; then only the beginning of a change is shown.
SMALLEST_SCALE: Final = 0.25
SHRINK_STEP: Final = 0.9
# Models accept images up to this size without scaling down: pixels on the long side, and in total.
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
# A smaller panel is enlarged.
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
        """Whether the canvas is legible without scaling down."""
        longest = max(self.width, self.height)
        return longest <= LONGEST_SIDE and self.width * self.height <= MOST_PIXELS


def arrange(crops: Sequence[Box], panels: int) -> Arrangement:
    """Arrange ``panels`` images of each crop side by side, or stacked if larger when stacked."""
    side_by_side = _arrange_largest(crops, panels, "side_by_side")
    if side_by_side.scale >= LEGIBLE:
        return side_by_side
    stacked = _arrange_largest(crops, panels, "stacked")
    return stacked if stacked.scale >= side_by_side.scale * WORTH_STACKING else side_by_side


def arrange_at(crops: Sequence[Box], panels: int, scale: float) -> Arrangement:
    """Arrange the panels at the given scale, or the largest one that fits."""
    orders: tuple[Order, ...] = ("side_by_side", "stacked")
    wanted = (_lay_out(crops, panels, scale, order) for order in orders)
    fitting = next((arrangement for arrangement in wanted if arrangement.fits), None)
    return fitting or arrange(crops, panels)


def arrange_columns(crops: Sequence[Box]) -> Arrangement:
    """Arrange the parts of one image side by side, like the columns of a newspaper."""
    return _arrange_largest(crops, 1, "columns")


def _arrange_largest(crops: Sequence[Box], panels: int, order: Order) -> Arrangement:
    """Enlarge by an integer factor, for square pixels, or shrink no more than needed."""
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


def crops_of(boxes: Sequence[Box], area: Box, panels: int) -> tuple[Box, ...]:
    """Return the part of ``area`` around all boxes, or a few parts where changes are far apart.

    Without boxes, everything. A part shown too small is reduced to its beginning.
    """
    groups = _group_by_rows(boxes or [area], area)
    choices: list[tuple[Box, ...]] = []
    while groups:
        if len(groups) <= MOST_CROPS:
            choices.insert(0, tuple(enclose_with_surroundings(group, area) for group in groups))
        groups = _merge_nearest(groups, area)
    chosen = _choose_fewest(choices, lambda crops: arrange(crops, panels).scale)
    if arrange(chosen, panels).scale >= SMALLEST_SCALE:
        return chosen
    first = min(boxes or [area], key=lambda box: (box.y, box.x))
    return (_truncate(choices[0][0], first, panels),)


def columns_of(area: Box) -> tuple[Box, ...]:
    """Return the parts of a tall image, of equal height, for the largest view side by side."""
    choices = [_parts(area, count) for count in range(1, min(MOST_COLUMNS, area.height) + 1)]
    return _choose_fewest(choices, lambda crops: arrange_columns(crops).scale)


def _choose_fewest(
    choices: Sequence[tuple[Box, ...]], scale: Callable[[Sequence[Box]], float]
) -> tuple[Box, ...]:
    """Return the first choice nearly as large as the best; enlarging does not count."""
    scales = [min(1.0, scale(crops)) for crops in choices]
    # A choice at a lower scale, to be truncated, is the last resort.
    enough = max(NEARLY_AS_LARGE * max(scales), min(SMALLEST_SCALE, max(scales)))
    return next(crops for crops, found in zip(choices, scales, strict=True) if found >= enough)


def _parts(area: Box, count: int) -> tuple[Box, ...]:
    height = math.ceil(area.height / count)
    tops = range(area.y, area.y + area.height, height)
    end = area.y + area.height
    return tuple(Box(area.x, top, area.width, min(height, end - top)) for top in tops)


def _group_by_rows(boxes: Sequence[Box], area: Box) -> list[list[Box]]:
    """Group boxes, top to bottom, so the surroundings of groups share no row."""
    groups: list[list[Box]] = []
    for box in sorted(boxes, key=lambda box: box.y):
        if groups and _gap(groups[-1], [box], area) < 0:
            groups[-1].append(box)
        else:
            groups.append([box])
    return groups


def _merge_nearest(groups: list[list[Box]], area: Box) -> list[list[Box]]:
    """Merge the two nearest groups; return nothing if there is a single one."""
    if len(groups) == 1:
        return []
    gaps = [_gap(one, two, area) for one, two in pairwise(groups)]
    at = gaps.index(min(gaps))
    return [*groups[:at], groups[at] + groups[at + 1], *groups[at + 2 :]]


def _gap(upper: list[Box], lower: list[Box], area: Box) -> int:
    """Rows between the surroundings of two groups; negative for an overlap."""
    above, below = enclose_with_surroundings(upper, area), enclose_with_surroundings(lower, area)
    return below.y - above.y - above.height


def enclose_with_surroundings(boxes: Iterable[Box], area: Box) -> Box:
    """Return the rectangle around all boxes with a margin, within the area."""
    found = list(boxes)
    left, right = _span(
        min(box.x for box in found),
        max(box.x + box.width for box in found),
        (area.width, NARROWEST_CROP),
    )
    top, bottom = _span(
        min(box.y for box in found),
        max(box.y + box.height for box in found),
        (area.height, LOWEST_CROP),
    )
    return Box(left, top, right - left, bottom - top)


def _span(start: int, end: int, sizes: tuple[int, int]) -> tuple[int, int]:
    """Return start and end with a margin, within the whole and at least ``least`` apart."""
    whole, least = sizes
    margin = max(MARGIN, (end - start) // MARGIN_SHARE, (least - end + start) // 2)
    first, last = max(0, start - margin), min(whole, end + margin)
    return max(0, min(first, last - least)), min(whole, max(last, first + least))


def _truncate(crop: Box, first: Box, panels: int) -> Box:
    """Return the part of the crop with the beginning of ``first``, still legible."""
    width, height = crop.width, crop.height
    while arrange([Box(0, 0, width, height)], panels).scale < SMALLEST_SCALE:
        if width > height:
            width = int(width * SHRINK_STEP)
        else:
            height = int(height * SHRINK_STEP)
    left = min(max(crop.x, first.x - MARGIN), crop.x + crop.width - width)
    top = min(max(crop.y, first.y - MARGIN), crop.y + crop.height - height)
    return Box(left, top, width, height)


def fit_part(boxes: Sequence[Box], area: Box, room: Size, least: float) -> Box:
    """Return the part of the area with all boxes and their surroundings; without boxes, all.

    If the scale would be below ``least``, the part has only the beginning of the first box, the
    most important one.
    """
    crop = enclose_with_surroundings(boxes, area) if boxes else area
    if scale_to_fit(crop, room) < least:
        crop = _fill_room(crop, (boxes or [area])[0], room, least)
    return _heighten(crop, area, room)


def scale_to_fit(crop: Box, room: Size) -> float:
    """Return the scale at which the crop fills the room; enlarged by integers only."""
    scale = max(0.0, min(room[0] / crop.width, room[1] / crop.height))
    return scale if scale < 1 else float(min(MOST_ENLARGED_CROP, int(scale)))


def _fill_room(crop: Box, first: Box, room: Size, least: float) -> Box:
    """Return a part of the crop with the beginning of ``first``, large enough to fill the room."""
    width, height = (max(1, int(side / least)) for side in room)
    width, height = min(crop.width, width), min(crop.height, height)
    left = min(max(crop.x, first.x - MARGIN), crop.x + crop.width - width)
    top = min(max(crop.y, first.y - MARGIN), crop.y + crop.height - height)
    return Box(left, top, width, height)


def _heighten(crop: Box, area: Box, room: Size) -> Box:
    """Return a low crop with more rows above and below, as far as there is room."""
    most = int(room[1] / scale_to_fit(crop, room))
    return expand(crop, area, (crop.width, min(most, crop.width // LOWEST_SHARE)))


def expand(crop: Box, area: Box, size: Size) -> Box:
    """Return the crop with more of its surroundings, within the area, up to ``size``."""
    width = max(crop.width, min(size[0], area.width))
    height = max(crop.height, min(size[1], area.height))
    left = min(max(0, crop.x - (width - crop.width) // 2), area.width - width)
    top = min(max(0, crop.y - (height - crop.height) // 2), area.height - height)
    return Box(left, top, width, height)
