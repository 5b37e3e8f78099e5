"""Measure a changed area, and how its pixels differ, by numpy."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.features import AreaFeatures, ChangeFeatures, SideFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.reference.colors import (
    Bytes,
    Colors,
    Numbers,
    count_colors,
    distance,
    largest_distance,
    most_common,
    pack,
    unpack,
)
from visual_review.imagediff.reference.masks import Mask

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
# Colors are counted on a grid of at most so many pixels, strokes on rows of at most so many.
MOST_SAMPLES: Final = 1 << 15
MOST_SEARCHED: Final = 1 << 20
# The frame whose most common color is the background of an area.
FRAME: Final = 3
# A channel of ink differs by more from the main color.
INK: Final = 24
# Red, green, blue and alpha, in 1/256.
LUMA: Final = np.array((77, 150, 29, 0), np.int64)
BLEND: Final = 40


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


@dataclass(frozen=True, slots=True)
class Part:
    """The pixels of an area as packed colors; ``flags`` are the pixels within the image."""

    colors: Colors
    flags: Flags


def measure_area(
    images: tuple[Bytes, Bytes], mask: Mask, box: Box, offset: tuple[int, int]
) -> AreaFeatures:
    """Measure an area of the later image against the earlier one, ``offset`` left and above."""
    old = Box(box.x - offset[0], box.y - offset[1], box.width, box.height)
    before, after = (_measure_side(*each) for each in zip(images, (old, box), strict=True))
    # One pixel more on each side shows whether the area's own edge stayed.
    parts = [take_part(image, each, 1) for image, each in zip(images, (old, box), strict=True)]
    marks = take_marks(mask, box, 1)
    step = grid_step(box)
    change = measure_change(
        (parts[0].colors, parts[1].colors),
        parts[0].flags & parts[1].flags,
        marks,
        (before.background, after.background),
        step,
    )
    return AreaFeatures(before, after, change)


def grid_step(box: Box) -> int:
    """Return the distance of samples in both directions."""
    step = 1
    while -(-box.width // step) * -(-box.height // step) > MOST_SAMPLES:
        step += 1
    return step


def take_part(image: Bytes, box: Box, margin: int) -> Part:
    """Return an area with a margin; pixels outside the image are 0."""
    height, width = box.height + 2 * margin, box.width + 2 * margin
    colors, flags = np.zeros((height, width), np.uint32), np.zeros((height, width), np.bool_)
    top, left = box.y - margin, box.x - margin
    ys = slice(max(0, top), max(0, min(image.shape[0], top + height)))
    xs = slice(max(0, left), max(0, min(image.shape[1], left + width)))
    found = pack(image[ys, xs])
    if found.size:
        target = (
            slice(ys.start - top, ys.start - top + found.shape[0]),
            slice(xs.start - left, xs.start - left + found.shape[1]),
        )
        colors[target], flags[target] = found, True
    return Part(colors, flags)


def take_marks(mask: Mask, box: Box, margin: int) -> Mask:
    marks = np.pad(mask, margin)
    return marks[box.y : box.y + box.height + 2 * margin, box.x : box.x + box.width + 2 * margin]


def _measure_side(image: Bytes, box: Box) -> SideFeatures:
    part = take_part(image, box, 0)
    framed = take_part(image, box, FRAME)
    framed.flags[FRAME:-FRAME, FRAME:-FRAME] = False
    around = framed.colors[framed.flags]
    step = grid_step(box)
    samples = part.colors[::step, ::step][part.flags[::step, ::step]]
    values, counts = count_colors(samples)
    main, main_count = most_common(values, counts)
    background, background_around = most_common(*count_colors(around))
    ink = _find_ink(values, counts, main)
    return SideFeatures(
        inside=int(np.count_nonzero(part.flags)),
        background=background if around.size else main,
        background_around=background_around,
        around=around.size,
        main=main,
        main_count=main_count,
        colors=len(values),
        samples=samples.size,
        ink=ink,
        **_measure_strokes(part, main, ink),
    )


def _find_ink(values: Colors, counts: Numbers, main: int) -> int:
    """Return the color farthest from the main one, if not rare among visibly different colors."""
    visible = largest_distance(values, main) > INK
    values, counts = values[visible], counts[visible]
    if not values.size:
        return main
    enough = counts >= max(2, int(counts.sum()) // 50)
    if not enough.any():
        return most_common(values, counts)[0]
    values, counts = values[enough], counts[enough]
    far = distance(values, main)
    # Of equally distant colors the most frequent, of equally frequent ones the smallest.
    return int(values[np.lexsort((values, -counts, -far))[0]])


def _measure_strokes(part: Part, main: int, ink: int) -> dict[str, int]:
    height, width = part.colors.shape
    step = -(-height * width // MOST_SEARCHED)
    colors, flags = part.colors[::step], part.flags[::step]
    inked: Flags = np.logical_and(flags, largest_distance(colors, main) > INK)
    starts = inked.copy()
    starts[:, 1:] &= ~inked[:, :-1]
    # The position of a pixel in its stroke is its distance from the last start of a stroke.
    places = np.arange(1, colors.shape[1] + 1)
    begins = np.maximum.accumulate(np.where(starts, places, 0), axis=1)
    rows = inked.any(axis=1)
    tops = np.diff(rows.astype(np.int8), prepend=0) > 0
    luma = (unpack(colors) @ LUMA) >> 8
    steps = np.abs(np.diff(luma, axis=1))[flags[:, 1:] & flags[:, :-1]]
    return {
        "steepest": int(steps.max(initial=0)),
        "brightness": int(luma[flags].sum()),
        "searched": int(np.count_nonzero(flags)),
        "inked": int(np.count_nonzero(inked)),
        "blended": _count_blended(colors[inked], main, ink),
        "strokes": int(np.count_nonzero(starts)),
        "longest": int(np.where(inked, places - begins + 1, 0).max(initial=0)),
        "ink_rows": int(np.count_nonzero(rows)),
        "bands": int(np.count_nonzero(tops)),
    }


def _count_blended(colors: Colors, main: int, ink: int) -> int:
    """Count the colors near the line from the main color to the ink."""
    start = unpack(np.array([main], np.uint32))[0]
    line = unpack(np.array([ink], np.uint32))[0] - start
    length = int((line * line).sum())
    ways = unpack(colors) - start
    along = (ways * line).sum(axis=1)
    aside = np.abs(ways * length - line * along[:, None]).max(axis=1, initial=0)
    return int(np.count_nonzero((aside <= BLEND * length) & (along >= 0)))
