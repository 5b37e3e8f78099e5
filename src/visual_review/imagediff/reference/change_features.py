"""Measure how the pixels of a changed area differ, by numpy."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.features import ChangeFeatures
from visual_review.imagediff.reference.masks import Mask
from visual_review.imagediff.reference.palette import (
    Colors,
    Numbers,
    count_colors,
    largest_distance,
    most_common,
    unpack,
)

Flags = npt.NDArray[np.bool_]

Slices = tuple[slice, slice]

# Neighbors whose channels differ so much are an edge, and none if by at most so little.
EDGE: Final = 24
NO_EDGE: Final = 2
# Cells in which lost and new edges are counted.
CELL: Final = 16
# A color so near the background counts as background.
NEAR: Final = 3
# Single pixels are looked for only where few differ.
MOST_SCATTERED: Final = 4096
PIXELS_AT_ONCE: Final = 1 << 18
NEIGHBORS: Final = [(y, x) for y in (0, 1, 2) for x in (0, 1, 2) if (y, x) != (1, 1)]


@dataclass(frozen=True, slots=True)
class Band:
    """Some rows of both images, and one row more; ``inner`` are the pixels of the area."""

    before: Colors
    after: Colors
    shared: Flags
    inner: Flags
    height: int


def measure_change(
    sides: tuple[Colors, Colors],
    shared: Flags,
    marks: Mask,
    backgrounds: tuple[int, int],
    step: int,
) -> ChangeFeatures:
    """Measure two parts of the same shape; all have a margin of one pixel.

    ``shared`` are the pixels in both images. Colors are counted at every ``step`` pixels.
    """
    before, after = (side[1:-1, 1:-1] for side in sides)
    own = marks[1:-1, 1:-1]
    unequal = (own != 0) & shared[1:-1, 1:-1] & (before != after)
    near = [
        _count_near(side[unequal], color)
        for side, color in zip((before, after), backgrounds, strict=True)
    ]
    ones = int(np.count_nonzero(own == 1))
    sampled = unequal[::step, ::step]
    pairs = _measure_pairs(before[::step, ::step][sampled], after[::step, ::step][sampled])
    return ChangeFeatures(
        ones=ones,
        twos=int(np.count_nonzero(own == 2)),  # noqa: PLR2004 - The name says two.
        threes=int(np.count_nonzero(own == 3)),  # noqa: PLR2004 - The name says three.
        unequal=int(np.count_nonzero(unequal)),
        was_background=near[0],
        became_background=near[1],
        isolated=_count_isolated(sides, shared, marks) if ones <= MOST_SCATTERED else 0,
        **pairs,
        **_measure_edges(sides, shared),
    )


def _count_near(colors: Colors, color: int) -> int:
    starts = range(0, colors.size, PIXELS_AT_ONCE)
    parts = (colors[start : start + PIXELS_AT_ONCE] for start in starts)
    return sum(int(np.count_nonzero(largest_distance(part, color) <= NEAR)) for part in parts)


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
    """Count different pixels on edges with at most one different neighbor."""
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
    height, width = shared.shape
    inner = np.zeros(shared.shape, np.bool_)
    inner[1:-1, 1:-1] = True
    counts, peak = np.zeros(5, np.int64), 0
    # Bands of whole cells keep temporary arrays small; each has the first row of the next one.
    step = CELL * max(1, PIXELS_AT_ONCE // (CELL * width))
    for top in range(0, height, step):
        rows = slice(top, top + step + 1)
        band = Band(sides[0][rows], sides[1][rows], shared[rows], inner[rows], step)
        found, highest = _measure_band(band)
        counts, peak = counts + found, max(peak, highest)
    names = ("edges_before", "edges_after", "edges_lost", "edges_new", "outline_strays")
    return dict(zip(names, counts.tolist(), strict=True)) | {"edges_peak": peak}


def _measure_band(band: Band) -> tuple[Numbers, int]:
    """Return the counts of edges, and how many lost and new ones are in one cell."""
    cells = np.zeros([-(-length // CELL) for length in band.shared.shape], np.int64)
    counts = np.zeros(5, np.int64)
    for here, there in _neighbors(band.height, len(band.shared)):
        both = band.shared[here] & band.shared[there]
        old, new = (largest_distance(side[here], side[there]) for side in (band.before, band.after))
        lost = both & (old >= EDGE) & (new <= NO_EDGE)
        made = both & (new >= EDGE) & (old <= NO_EDGE)
        within = band.inner[here] & band.inner[there]
        flags = (both & (old >= EDGE), both & (new >= EDGE), lost, made)
        counts[:4] += [np.count_nonzero(each & within) for each in flags]
        counts[4] += np.count_nonzero((lost | made) & (band.inner[here] != band.inner[there]))
        ys, xs = np.nonzero((lost | made) & within)
        np.add.at(cells, (ys // CELL, xs // CELL), 1)
    return counts, int(cells.max())


def _neighbors(height: int, rows: int) -> tuple[tuple[Slices, Slices], tuple[Slices, Slices]]:
    """Return pixels with their lower neighbors, and with their right ones, of ``height`` rows."""
    every = slice(None)
    below = (slice(0, min(height, rows - 1)), every), (slice(1, height + 1), every)
    first = slice(0, height)
    return below, ((first, slice(None, -1)), (first, slice(1, None)))
