"""Find areas with differences up to the threshold, but different from noise.

See native/src/faint.rs for the rule; both engines find the same areas.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import NO_FAINT_AREAS, FaintAreas, describe_areas
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import (
    ANTI_ALIASED,
    DIFFERENT,
    FAINT,
    PIXELS_AT_ONCE,
    SLIGHT,
    Flags,
    Mask,
)

Luma = npt.NDArray[np.int64]
BEYOND: Final = 40
AROUND: Final = 3
LEAST_INK: Final = 128
LEAST_STROKE_PERCENT: Final = 40
LEAST_LUMA: Final = 24
STROKE_WEIGHTS: Final = np.array((77, 150, 29), np.int64)
Values = npt.NDArray[np.int32]
Part = tuple[slice, slice]
LEAST: Final = 3
MARGIN: Final = 2
# The channel after the three of color; in 1/256 of a level.
LUMA: Final = 3
WEIGHTS: Final = np.array((77, 150, 29), np.int32)
Sums = npt.NDArray[np.int64]
Marks = npt.NDArray[np.uint8]
LEAST_OF_LINE: Final = 8
STEP: Final = 2
AREA_RUN: Final = 8
LINE_RUN: Final = 16
FEWEST: Final = 16
TILE: Final = 16
LEAST_PIXELS: Final = 8
LEAST_MEAN: Final = 8
LEAST_PERCENT: Final = 97
MOST_PER_NEW: Final = 6
CANDIDATE: Final = 1
ACROSS: Final = 2
DOWN: Final = 4
LINE: Final = 8


# Find strokes gained or lost by letters, although all of their pixels pass as anti-aliased.
#
# See native/src/faint_strokes.rs for the rule; both engines find the same strokes.


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
    is_ink = (np.abs(total) >= LEAST_INK) & (100 * np.abs(total) >= LEAST_STROKE_PERCENT * absolute)
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
    luma: Luma = ((colors * alpha + 255 * (255 - alpha)) // 255 @ STROKE_WEIGHTS) >> 8
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


@dataclass(frozen=True, slots=True)
class Difference:
    """The mask's codes outside regions, and the differences of each channel and of the largest.

    ``new`` flags a color found nowhere around the pixel in the other image, ``new_luma`` a
    brightness.
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
    """Return the difference in a part of two images; ``codes`` is its mask without regions."""
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
    """Return a slice with the pixels next to it, and the number of pixels beyond the image."""
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


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Sums of squares of pixels; see native/src/faint_tiles.rs."""

    count: Sums
    strength: Sums
    changed: Sums
    new: Sums
    different: Sums
    direction: Sums
    absolute: Sums

    def select(self) -> Flags:
        consistent = 100 * self.direction >= LEAST_PERCENT * self.absolute
        strong = (
            (self.count >= LEAST_PIXELS)
            & (self.strength >= LEAST_MEAN * self.count)
            & (self.new * MOST_PER_NEW >= self.changed)
            & ~_grow(self.different > 0)
        )
        flags: Flags = consistent & _grow(consistent & strong)
        return flags


def find_faint(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> FaintAreas:
    """Return faint areas outside regions, and mark the areas in the mask."""
    if not ((mask == SLIGHT) | (mask == ANTI_ALIASED)).any():
        return NO_FAINT_AREAS
    height, width = (min(before.shape[axis], after.shape[axis]) for axis in (0, 1))
    pair = _Pair(before[:height, :width], after[:height, :width], mask, regions)
    marks = np.zeros((height, width), np.uint8)
    tiles = pair.read_rows(marks)
    pair.read_columns(marks)
    flags = np.zeros(mask.shape, np.bool_)
    flags[:height, :width] = (marks & (ACROSS | DOWN)) == ACROSS | DOWN
    flags[:height, :width] |= marks >= LINE
    for y, x in zip(*tiles.nonzero(), strict=True):
        rows, columns = (slice(TILE * at, TILE * at + TILE) for at in (y, x))
        flags[:height, :width][rows, columns] |= (marks[rows, columns] & CANDIDATE) > 0
    boxes = _drop_small(flags, find_changed_boxes(flags))
    mask[flags] = FAINT
    strokes, count = find_strokes(before, after, mask, regions)
    size = (mask.shape[1], mask.shape[0])
    return describe_areas(int(np.count_nonzero(flags)) + count, boxes, size, strokes)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The shared part of both images, and the mask and regions of their union."""

    before: Bytes
    after: Bytes
    mask: Mask
    regions: Flags | None

    def read_rows(self, marks: Marks) -> Flags:
        """Mark candidates and runs across; return which tiles are faint."""
        height, width = marks.shape
        # Stripes keep temporary arrays small; whole tiles are in one.
        step = TILE * max(1, PIXELS_AT_ONCE // width // TILE)
        found = []
        for top in range(0, height, step):
            part = (slice(top, min(top + step, height)), slice(0, width))
            difference = self._read(part)
            marks[part] |= difference.candidates * np.uint8(CANDIDATE)
            marks[part] |= _mark_runs(difference, ACROSS)
            found.append(_sum_all(difference))
        joined = (np.concatenate(sums) for sums in zip(*found, strict=True))
        return _Tiles(*joined).select()

    def read_columns(self, marks: Marks) -> None:
        """Mark runs down."""
        height, width = marks.shape
        step = max(1, PIXELS_AT_ONCE // height)
        for left in range(0, width, step):
            part = (slice(0, height), slice(left, min(left + step, width)))
            marks[part] |= _mark_runs(turn(self._read(part)), DOWN).T

    def _read(self, part: Part) -> Difference:
        codes = self.mask[part].copy()
        if self.regions is not None:
            codes[self.regions[part]] = 0
        return find_difference(self.before, self.after, codes, part)


def _mark_runs(difference: Difference, direction: int) -> Marks:
    candidates, delta = difference.candidates, difference.delta
    lines = candidates & (difference.strength >= LEAST_OF_LINE)
    areas = _flag_runs(candidates, delta, AREA_RUN)
    marks: Marks = areas * np.uint8(direction)
    return marks | _flag_runs(lines, delta, LINE_RUN, difference.new) * np.uint8(LINE)


def _flag_runs(flags: Flags, delta: Values, least: int, new: Flags | None = None) -> Flags:
    """Flag the pixels of long enough runs across, with hardly any change in the difference.

    Half of the pixels of a run have to be among the ``new`` ones.
    """
    starts = flags.copy()
    steps = np.abs(delta[:, 1:] - delta[:, :-1]).max(axis=2)
    starts[:, 1:] &= ~(flags[:, :-1] & (steps <= STEP))
    numbers = np.cumsum(starts.ravel())[flags.ravel()]
    lengths = np.bincount(numbers)
    fitting = lengths >= least
    if new is not None:
        fitting &= 2 * np.bincount(numbers[new[flags]], minlength=len(lengths)) >= lengths
    found = np.zeros(flags.shape, np.bool_)
    found[flags] = fitting[numbers]
    return found


def _sum_all(difference: Difference) -> tuple[Sums, ...]:
    delta, strength = difference.delta, difference.strength
    channels = [np.abs(_sum_tiles(delta[:, :, channel])) for channel in range(3)]
    return (
        _sum_tiles(difference.candidates),
        _sum_tiles(np.where(difference.candidates, strength, 0)),
        _sum_tiles(strength),
        _sum_tiles(np.where(difference.new_luma, strength, 0)),
        _sum_tiles(difference.codes == DIFFERENT),
        channels[0] + channels[1] + channels[2],
        _sum_tiles(np.abs(delta).sum(axis=2)),
    )


def _sum_tiles(values: npt.NDArray[np.generic]) -> Sums:
    tops, lefts = (np.arange(0, side, TILE) for side in values.shape)
    rows: Sums = np.add.reduceat(values, tops, axis=0, dtype=np.int64)
    sums: Sums = np.add.reduceat(rows, lefts, axis=1)
    return sums


def _grow(tiles: Flags) -> Flags:
    """Flag the tiles around flagged ones, too."""
    padded = np.pad(tiles, 1)
    height, width = tiles.shape
    grown: Flags = np.logical_or.reduce(
        [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    )
    return grown


def _drop_small(flags: Flags, boxes: tuple[Box, ...]) -> tuple[Box, ...]:
    """Return the boxes with enough pixels, and unflag the pixels of others."""
    large = []
    for box in boxes:
        part = flags[box.y : box.y + box.height, box.x : box.x + box.width]
        if np.count_nonzero(part) >= FEWEST:
            large.append(box)
        else:
            part[:] = False
    return tuple(large)
