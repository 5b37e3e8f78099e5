"""Find areas that differ by no more than the threshold, and in a way that is not noise.

The rule is described in native/src/faint.rs, which finds the same.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.faint import NO_FAINT_AREAS, FaintAreas, describe_areas
from visual_review.imagediff.model import Box
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.faint_pixels import (
    Difference,
    Part,
    Values,
    find_difference,
    flag_extremes,
)
from visual_review.imagediff.reference.masks import (
    DIFFERENT,
    FAINT,
    PIXELS_AT_ONCE,
    SLIGHT,
    Flags,
    Mask,
)

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
MOST_PER_EXTREME: Final = 6

CANDIDATE: Final = 1
ACROSS: Final = 2
DOWN: Final = 4
LINE: Final = 8


@dataclass(frozen=True, slots=True)
class _Tiles:
    """Sums of squares of pixels, as native/src/faint_tiles.rs describes them."""

    count: Sums
    strength: Sums
    changed: Sums
    extreme: Sums
    different: Sums
    direction: Sums
    absolute: Sums

    def select(self) -> Flags:
        consistent = 100 * self.direction >= LEAST_PERCENT * self.absolute
        strong = (
            (self.count >= LEAST_PIXELS)
            & (self.strength >= LEAST_MEAN * self.count)
            & (self.extreme * MOST_PER_EXTREME >= self.changed)
            & ~_grow(self.different > 0)
        )
        flags: Flags = consistent & _grow(consistent & strong)
        return flags


def find_faint(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> FaintAreas:
    """Return faint areas outside regions, and mark them in the mask."""
    if not (mask == SLIGHT).any():
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
    size = (mask.shape[1], mask.shape[0])
    return describe_areas(int(np.count_nonzero(flags)), boxes, size)


@dataclass(frozen=True, slots=True)
class _Pair:
    """What both images have in common, and the mask and regions of their union."""

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
            marks[part] |= _mark_runs(difference.candidates, difference.delta, ACROSS)
            extremes = flag_extremes(self.before, part) & flag_extremes(self.after, part)
            found.append(_sum_all(difference, extremes))
        joined = (np.concatenate(sums) for sums in zip(*found, strict=True))
        return _Tiles(*joined).select()

    def read_columns(self, marks: Marks) -> None:
        """Mark runs down."""
        height, width = marks.shape
        step = max(1, PIXELS_AT_ONCE // height)
        for left in range(0, width, step):
            part = (slice(0, height), slice(left, min(left + step, width)))
            difference = self._read(part)
            turned = difference.delta.transpose(1, 0, 2)
            marks[part] |= _mark_runs(difference.candidates.T, turned, DOWN).T

    def _read(self, part: Part) -> Difference:
        codes = self.mask[part].copy()
        if self.regions is not None:
            codes[self.regions[part]] = 0
        return find_difference(self.before[part], self.after[part], codes)


def _mark_runs(candidates: Flags, delta: Values, direction: int) -> Marks:
    lines = candidates & (np.abs(delta).max(axis=2) >= LEAST_OF_LINE)
    areas = _flag_runs(candidates, delta, AREA_RUN)
    marks: Marks = areas * np.uint8(direction) | _flag_runs(lines, delta, LINE_RUN) * np.uint8(LINE)
    return marks


def _flag_runs(flags: Flags, delta: Values, least: int) -> Flags:
    """Flag the pixels of long enough runs across, in which the difference hardly changes."""
    starts = flags.copy()
    steps = np.abs(delta[:, 1:] - delta[:, :-1]).max(axis=2)
    starts[:, 1:] &= ~(flags[:, :-1] & (steps <= STEP))
    numbers = np.cumsum(starts.ravel())[flags.ravel()]
    found = np.zeros(flags.shape, np.bool_)
    found[flags] = np.bincount(numbers)[numbers] >= least
    return found


def _sum_all(difference: Difference, extremes: Flags) -> tuple[Sums, ...]:
    delta, strength = difference.delta, difference.strength
    channels = [np.abs(_sum_tiles(delta[:, :, channel])) for channel in range(3)]
    return (
        _sum_tiles(difference.candidates),
        _sum_tiles(np.where(difference.candidates, strength, 0)),
        _sum_tiles(strength),
        _sum_tiles(np.where(extremes, strength, 0)),
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
    """Return the boxes with enough pixels, and unflag those in others."""
    large = []
    for box in boxes:
        part = flags[box.y : box.y + box.height, box.x : box.x + box.width]
        if np.count_nonzero(part) >= FEWEST:
            large.append(box)
        else:
            part[:] = False
    return tuple(large)
