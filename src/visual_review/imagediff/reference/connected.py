"""Connected pixels of a mask; tiles play no part, unlike in boxes for people."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import MOST_PIECES
from visual_review.imagediff.reference.boxes import merge_overlapping

# Pixels no further apart belong together: letters of a word do, words of a list do not.
GAP: Final = 6
# A page with more runs changed as a whole, and no piece of the page says in which way.
MOST_RUNS: Final = 60_000
RUN: Final = re.compile(rb"\x01+")


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
