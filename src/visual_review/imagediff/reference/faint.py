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
from visual_review.imagediff.reference.masks import DIFFERENT, FAINT, SLIGHT, Flags, Mask

Values = npt.NDArray[np.int32]
Sums = npt.NDArray[np.int64]

TILE: Final = 16
LEAST: Final = 3
LEAST_OF_LINE: Final = 8
STEP: Final = 2
AREA_RUN: Final = 8
LINE_RUN: Final = 16
FEWEST: Final = 16
LEAST_PIXELS: Final = 8
LEAST_MEAN: Final = 8
LEAST_PERCENT: Final = 97
MOST_PER_EXTREME: Final = 6
MARGIN: Final = 2
# Luma in 1/256.
LUMA: Final = np.array((77, 150, 29), np.int32)


@dataclass(frozen=True, slots=True)
class _Difference:
    """What differs outside regions: the mask's codes, and by how much each channel does."""

    codes: Mask
    delta: Values
    strength: Values

    @property
    def candidates(self) -> Flags:
        flags: Flags = (self.codes == SLIGHT) & (self.strength >= LEAST)
        return flags


def find_faint(before: Bytes, after: Bytes, mask: Mask, regions: Flags | None) -> FaintAreas:
    """Return faint areas outside regions, and mark them in the mask."""
    shared = (
        slice(0, min(before.shape[0], after.shape[0])),
        slice(0, min(before.shape[1], after.shape[1])),
    )
    codes = mask[shared].copy()
    if regions is not None:
        codes[regions[shared]] = 0
    if not (codes == SLIGHT).any():
        return NO_FAINT_AREAS
    old, new = _over_white(before[shared]), _over_white(after[shared])
    delta = np.where((codes != 0)[:, :, None], new - old, 0)
    difference = _Difference(codes, delta, np.abs(delta).max(axis=2))
    tiles = _select_tiles(difference, _flag_extremes(old, new))
    faint = _flag_runs(difference) | (tiles & difference.candidates)
    flags = np.zeros(mask.shape, np.bool_)
    flags[shared] = faint
    boxes = _drop_small(flags, find_changed_boxes(flags))
    mask[flags] = FAINT
    size = (mask.shape[1], mask.shape[0])
    return describe_areas(int(np.count_nonzero(flags)), boxes, size)


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


def _over_white(pixels: Bytes) -> Values:
    colors, alpha = pixels[:, :, :3].astype(np.int32), pixels[:, :, 3:].astype(np.int32)
    return (colors * alpha + 255 * (255 - alpha)) // 255


def _flag_runs(difference: _Difference) -> Flags:
    candidates, strong = difference.candidates, difference.strength >= LEAST_OF_LINE
    across = _runs_across(candidates, difference.delta, AREA_RUN)
    down = _runs_down(candidates, difference.delta, AREA_RUN)
    lines = candidates & strong
    flags: Flags = (
        (across & down)
        | _runs_across(lines, difference.delta, LINE_RUN)
        | _runs_down(lines, difference.delta, LINE_RUN)
    )
    return flags


def _runs_down(flags: Flags, delta: Values, least: int) -> Flags:
    return _runs_across(flags.T, delta.transpose(1, 0, 2), least).T


def _runs_across(flags: Flags, delta: Values, least: int) -> Flags:
    """Flag the pixels of long enough runs, in which the difference hardly changes."""
    starts = flags.copy()
    steps = np.abs(delta[:, 1:] - delta[:, :-1]).max(axis=2)
    starts[:, 1:] &= ~(flags[:, :-1] & (steps <= STEP))
    numbers = np.cumsum(starts.ravel())[flags.ravel()]
    found = np.zeros(flags.shape, np.bool_)
    found[flags] = np.bincount(numbers)[numbers] >= least
    return found


def _flag_extremes(old: Values, new: Values) -> Flags:
    """Flag pixels of which, in both images, no neighbor is darker, or none is brighter."""
    return _flag_extremes_of(old) & _flag_extremes_of(new)


def _flag_extremes_of(colors: Values) -> Flags:
    luma = (colors @ LUMA) >> 8
    padded = np.pad(luma, 1, mode="edge")
    height, width = luma.shape
    near = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    darkest, brightest = np.minimum.reduce(near), np.maximum.reduce(near)
    flags: Flags = (darkest >= luma - MARGIN) | (brightest <= luma + MARGIN)
    return flags


def _select_tiles(difference: _Difference, extremes: Flags) -> Flags:
    """Flag the pixels of tiles that become darker, or brighter, not only at edges."""
    candidates, strength = difference.candidates, difference.strength
    count = _sum_tiles(candidates)
    sums = [_sum_tiles(difference.delta[:, :, channel]) for channel in range(3)]
    absolute = _sum_tiles(np.abs(difference.delta).sum(axis=2))
    consistent = 100 * sum(np.abs(each) for each in sums) >= LEAST_PERCENT * absolute
    strong = (
        (count >= LEAST_PIXELS)
        & (_sum_tiles(np.where(candidates, strength, 0)) >= LEAST_MEAN * count)
        & (_sum_tiles(np.where(extremes, strength, 0)) * MOST_PER_EXTREME >= _sum_tiles(strength))
        & ~_grow(_sum_tiles(difference.codes == DIFFERENT) > 0)
    )
    tiles: Flags = consistent & _grow(consistent & strong)
    height, width = candidates.shape
    return tiles.repeat(TILE, axis=0).repeat(TILE, axis=1)[:height, :width]


def _sum_tiles(values: npt.NDArray[np.generic]) -> Sums:
    tops, lefts = (np.arange(0, side, TILE) for side in values.shape)
    rows = np.add.reduceat(values, tops, axis=0, dtype=np.int64)
    return np.add.reduceat(rows, lefts, axis=1)


def _grow(tiles: Flags) -> Flags:
    """Flag the tiles around flagged ones, too."""
    padded = np.pad(tiles, 1)
    height, width = tiles.shape
    return np.logical_or.reduce(
        [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
    )
