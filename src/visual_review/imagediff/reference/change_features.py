"""Measure how the pixels of a changed area differ, by numpy."""

from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.features import ChangeFeatures
from visual_review.imagediff.reference.masks import Mask
from visual_review.imagediff.reference.palette import (
    Colors,
    count_colors,
    largest_distance,
    most_common,
    unpack,
)

Flags = npt.NDArray[np.bool_]

# Neighbors whose channels differ so much are an edge, and none if by at most so little.
EDGE: Final = 24
NO_EDGE: Final = 2
# Cells in which lost and new edges are counted.
CELL: Final = 16
# What is so near the background is background.
NEAR: Final = 3
# Single pixels are looked for only where few differ.
MOST_SCATTERED: Final = 4096
NEIGHBORS: Final = [(y, x) for y in (0, 1, 2) for x in (0, 1, 2) if (y, x) != (1, 1)]


def measure_change(
    sides: tuple[Colors, Colors],
    shared: Flags,
    marks: Mask,
    backgrounds: tuple[int, int],
    step: int,
) -> ChangeFeatures:
    """Measure two parts of the same shape; all have a margin of one pixel.

    ``shared`` are the pixels that both images have. Colors are counted at every ``step`` pixels.
    """
    before, after = (side[1:-1, 1:-1] for side in sides)
    own = marks[1:-1, 1:-1]
    unequal = (own != 0) & shared[1:-1, 1:-1] & (before != after)
    near = [
        int(np.count_nonzero(largest_distance(side[unequal], color) <= NEAR))
        for side, color in zip((before, after), backgrounds, strict=True)
    ]
    ones = int(np.count_nonzero(own == 1))
    sampled = unequal[::step, ::step]
    pairs = _measure_pairs(before[::step, ::step][sampled], after[::step, ::step][sampled])
    return ChangeFeatures(
        ones=ones,
        twos=int(np.count_nonzero(own == 2)),  # noqa: PLR2004 - The name says it.
        threes=int(np.count_nonzero(own == 3)),  # noqa: PLR2004 - The name says it.
        unequal=int(np.count_nonzero(unequal)),
        was_background=near[0],
        became_background=near[1],
        isolated=_count_isolated(sides, shared, marks) if ones <= MOST_SCATTERED else 0,
        **pairs,
        **_measure_edges(sides, shared),
    )


def _measure_pairs(before: Colors, after: Colors) -> dict[str, int]:
    joined = before.astype(np.uint64) << np.uint64(32) | after
    values, counts = count_colors(joined)
    first, first_count = most_common(values, counts)
    sources = values.astype(np.uint64) >> np.uint64(32)
    starts = np.flatnonzero(np.diff(sources, prepend=np.uint64(1 << 63)))
    best = np.maximum.reduceat(counts, starts) if counts.size else counts
    return {
        "pairs": len(values),
        "pair_samples": joined.size,
        "mapped": int(best.sum()),
        "first_before": first >> 32,
        "first_after": first & 0xFFFFFFFF,
        "first_count": first_count,
    }


def _count_isolated(sides: tuple[Colors, Colors], shared: Flags, marks: Mask) -> int:
    """Count different pixels that have at most one such neighbor and are on edges."""
    count = 0
    for y, x in zip(*np.nonzero(marks[1:-1, 1:-1] == 1), strict=True):
        near = (slice(y, y + 3), slice(x, x + 3))
        few = np.count_nonzero(marks[near] == 1) <= 2  # noqa: PLR2004 - Itself and one more.
        count += bool(few and shared[near].all() and all(_is_edge(side[near]) for side in sides))
    return count


def _is_edge(block: Colors) -> bool:
    channels = unpack(np.array([block[at] for at in NEIGHBORS], np.uint32))
    return bool((channels.max(axis=0) - channels.min(axis=0)).max() >= EDGE)


def _measure_edges(sides: tuple[Colors, Colors], shared: Flags) -> dict[str, int]:
    cells = np.zeros([-(-length // CELL) for length in shared.shape], np.int64)
    counts = np.zeros(4, np.int64)
    outline = 0
    inner = np.zeros(shared.shape, np.bool_)
    inner[1:-1, 1:-1] = True
    for axis in (0, 1):
        here, there = _neighbors(axis)
        both = shared[here] & shared[there]
        old, new = (largest_distance(side[here], side[there]) for side in sides)
        lost = both & (old >= EDGE) & (new <= NO_EDGE)
        made = both & (new >= EDGE) & (old <= NO_EDGE)
        outline += int(np.count_nonzero((lost | made) & (inner[here] != inner[there])))
        within = inner[here] & inner[there]
        for at, flags in enumerate((both & (old >= EDGE), both & (new >= EDGE), lost, made)):
            counts[at] += np.count_nonzero(flags & within)
        ys, xs = np.nonzero((lost | made) & within)
        np.add.at(cells, (ys // CELL, xs // CELL), 1)
    names = ("edges_before", "edges_after", "edges_lost", "edges_new")
    return dict(zip(names, counts.tolist(), strict=True)) | {
        "edges_peak": int(cells.max()),
        "outline_strays": outline,
    }


def _neighbors(axis: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    every = slice(None)
    if axis == 0:
        return (slice(None, -1), every), (slice(1, None), every)
    return (every, slice(None, -1)), (every, slice(1, None))
