"""Group changed pixels: connected ones, and a few rectangles for a person to look at."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import MOST_PIECES

# Pixels no further apart belong together: letters of a word do, words of a list do not.
GAP: Final = 6
# A page with more runs changed as a whole, and no piece of the page says in which way.
MOST_RUNS: Final = 60_000
RUN: Final = re.compile(rb"\x01+")
Flags = npt.NDArray[np.bool_]
# Pixels are grouped by tile first: noise has millions, and groups are traversed in Python.
FIRST_TILE: Final = 16
MOST_TILES: Final = 4096
MOST_BOXES: Final = 50


@dataclass(slots=True)
class _Run:
    """Neighboring pixels of a row; ``group`` leads to the first connected run."""

    y: int
    start: int
    end: int
    group: int


def connect_pixels(mask: bytes, width: int) -> tuple[Box, ...] | None:
    """Return boxes of connected pixels equal to 1, or None of too many."""
    runs: list[_Run] = []
    recent: list[tuple[int, list[int]]] = []
    for y in range(len(mask) // width):
        spans = [match.span() for match in RUN.finditer(mask, y * width, (y + 1) * width)]
        if len(runs) + len(spans) > MOST_RUNS:
            return None
        recent = [entry for entry in recent if y - entry[0] <= GAP]
        own = list(range(len(runs), len(runs) + len(spans)))
        runs += [
            _Run(y, start - y * width, end - y * width, index)
            for index, (start, end) in zip(own, spans, strict=True)
        ]
        recent.append((y, own))
        for _, others in recent:
            _connect(runs, own, others)
    boxes = _enclose_groups(runs)
    if len(boxes) > MOST_PIECES:
        return None
    return tuple(sorted(merge_overlapping(boxes), key=lambda each: (each.y, each.x)))


def _connect(runs: list[_Run], own: Sequence[int], others: Sequence[int]) -> None:
    """Join runs of one row with runs of another (or the same), no more than GAP away."""
    first = 0
    for index in own:
        start, end = runs[index].start - GAP, runs[index].end + GAP
        while first < len(others) and runs[others[first]].end < start:
            first += 1
        for other in range(first, len(others)):
            if runs[others[other]].start > end:
                break
            one, two = _find(runs, index), _find(runs, others[other])
            runs[max(one, two)].group = min(one, two)


def _find(runs: list[_Run], index: int) -> int:
    while runs[index].group != index:
        runs[index].group = runs[runs[index].group].group
        index = runs[index].group
    return index


def _enclose_groups(runs: list[_Run]) -> list[Box]:
    found: dict[int, tuple[int, int, int, int]] = {}
    for index, run in enumerate(runs):
        group = _find(runs, index)
        left, top, right, _ = found.get(group, (run.start, run.y, run.end, 0))
        found[group] = (min(left, run.start), top, max(right, run.end), run.y + 1)
    return [Box(x, y, right - x, bottom - y) for x, y, right, bottom in found.values()]


def find_changed_boxes(changed: Flags, most: int = MOST_BOXES) -> tuple[Box, ...]:
    """Return at most ``most`` disjoint boxes, top to bottom, around every flagged pixel.

    Pixels closer than about 16 share a box; the distance doubles until the boxes are few enough.
    """
    if not changed.any():
        return ()
    tile = FIRST_TILE
    while True:
        grid = _tiles(changed, tile)
        if np.count_nonzero(grid) <= MOST_TILES:
            boxes = merge_overlapping([_fit_box(changed, group, tile) for group in _groups(grid)])
            if len(boxes) <= most:
                return tuple(sorted(boxes, key=lambda box: (box.y, box.x)))
        # The loop terminates: one tile around everything makes one box.
        tile *= 2


def _tiles(changed: Flags, tile: int) -> Flags:
    tops = np.arange(0, changed.shape[0], tile)
    lefts = np.arange(0, changed.shape[1], tile)
    by_row = np.logical_or.reduceat(changed, tops, axis=0)
    return np.logical_or.reduceat(by_row, lefts, axis=1)


def _groups(grid: Flags) -> Iterator[list[tuple[int, int]]]:
    """Yield the tiles of each group connected by sides or corners."""
    waiting = set(zip(*(axis.tolist() for axis in grid.nonzero()), strict=True))
    while waiting:
        group = [waiting.pop()]
        for y, x in group:
            for near in ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
                if near in waiting:
                    waiting.remove(near)
                    group.append(near)
        yield group


def _fit_box(changed: Flags, group: list[tuple[int, int]], tile: int) -> Box:
    top, left = (min(axis) * tile for axis in zip(*group, strict=True))
    bottom, right = ((max(axis) + 1) * tile for axis in zip(*group, strict=True))
    part = changed[top:bottom, left:right]
    rows, columns = np.flatnonzero(part.any(axis=1)) + top, np.flatnonzero(part.any(axis=0)) + left
    x, y = int(columns[0]), int(rows[0])
    return Box(x, y, int(columns[-1]) + 1 - x, int(rows[-1]) + 1 - y)


def merge_overlapping(boxes: list[Box]) -> list[Box]:
    """Merge boxes until none overlap."""
    # Groups never touch, but one may be inside the bounding box of another.
    separate: list[Box] = []
    for box in boxes:
        merged = box
        while touching := [other for other in separate if _overlap(merged, other)]:
            separate = [other for other in separate if other not in touching]
            for other in touching:
                merged = _enclose(merged, other)
        separate.append(merged)
    return separate


def _overlap(one: Box, two: Box) -> bool:
    return (
        one.x < two.x + two.width
        and two.x < one.x + one.width
        and one.y < two.y + two.height
        and two.y < one.y + one.height
    )


def _enclose(one: Box, two: Box) -> Box:
    x, y = min(one.x, two.x), min(one.y, two.y)
    right = max(one.x + one.width, two.x + two.width)
    bottom = max(one.y + one.height, two.y + two.height)
    return Box(x, y, right - x, bottom - y)
