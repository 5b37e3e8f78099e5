"""Measure a changed area by numpy."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.features import AreaFeatures, SideFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.reference.change_features import measure_change
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import Mask
from visual_review.imagediff.reference.palette import (
    Colors,
    Numbers,
    count_colors,
    distance,
    largest_distance,
    most_common,
    pack,
    unpack,
)

Flags = npt.NDArray[np.bool_]

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
