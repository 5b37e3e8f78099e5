"""Find the elements of a screenshot as a person would: words, icons, buttons, cards."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box

Pixels = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Color = tuple[int, int, int]

# Closer letters share an element: a short line of text is one element.
TILE = 6
# A channel differs from the background by more than this where a person sees something.
VISIBLE = 24
SMALLEST, LARGEST_SHARE, DEEPEST = (8, 6), 0.25, 3
MARGIN = 3
SAMPLED = 200_000


@dataclass(frozen=True)
class Element:
    """A box around connected pixels in front of a background, and the color of the background."""

    box: Box
    background: Color


def find_elements(pixels: Pixels) -> list[Element]:
    """Return elements from the top down: cards, and the elements inside cards."""
    height, width = pixels.shape[:2]
    found = _search(pixels, Box(0, 0, width, height), 0)
    largest = LARGEST_SHARE * width * height
    fitting = [each for each in found if each.box.width * each.box.height <= largest]
    return sorted(fitting, key=lambda each: (each.box.y, each.box.x, each.box.width))


def cut(pixels: Pixels, box: Box) -> Pixels:
    """Return a view of a part of the image."""
    return pixels[box.y : box.y + box.height, box.x : box.x + box.width]


def find_background(part: Pixels) -> Color:
    """Return the most common color, in a large part the most common of some pixels."""
    step = 1 + part.shape[0] * part.shape[1] // SAMPLED
    channels = part.reshape(-1, part.shape[2])[::step].astype(np.uint32)
    packed = channels[:, 0] << 16 | channels[:, 1] << 8 | channels[:, 2]
    colors, counts = np.unique(packed, return_counts=True)
    best = int(colors[counts.argmax()])
    return best >> 16, best >> 8 & 255, best & 255


def _search(pixels: Pixels, area: Box, depth: int) -> Iterator[Element]:
    part = cut(pixels, area)
    background = find_background(part)
    away = np.abs(part[:, :, :3].astype(np.int16) - background).max(axis=2)
    flags = away > VISIBLE
    for inner in _connected_boxes(flags):
        box = Box(area.x + inner.x, area.y + inner.y, inner.width, inner.height)
        if box.width < SMALLEST[0] or box.height < SMALLEST[1] or box == area:
            continue
        yield Element(box, background)
        if depth < DEEPEST and box.height > 4 * SMALLEST[1] and box.width > 4 * SMALLEST[0]:
            yield from _search(pixels, _shrink(box), depth + 1)


def _shrink(box: Box) -> Box:
    twice = 2 * MARGIN
    return Box(box.x + MARGIN, box.y + MARGIN, box.width - twice, box.height - twice)


def _connected_boxes(flags: Flags) -> Iterator[Box]:
    """Yield a tight box around each group of adjacent tiles."""
    rows, columns = (np.arange(0, size, TILE) for size in flags.shape)
    grid = np.logical_or.reduceat(np.logical_or.reduceat(flags, rows, axis=0), columns, axis=1)
    waiting = set(zip(*(axis.tolist() for axis in grid.nonzero()), strict=True))
    # The order of a set may not decide which defect a seed plants.
    for start in sorted(waiting):
        if start in waiting:
            waiting.remove(start)
            yield _fit(flags, _flood(start, waiting))


def _flood(start: tuple[int, int], waiting: set[tuple[int, int]]) -> list[tuple[int, int]]:
    group = [start]
    for y, x in group:
        for near in ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
            if near in waiting:
                waiting.remove(near)
                group.append(near)
    return group


def _fit(flags: Flags, group: list[tuple[int, int]]) -> Box:
    top, left = (min(axis) * TILE for axis in zip(*group, strict=True))
    bottom, right = ((max(axis) + 1) * TILE for axis in zip(*group, strict=True))
    return fit_box(flags[top:bottom, left:right], left, top)


def fit_box(flags: Flags, left: int = 0, top: int = 0) -> Box:
    """Return the box around all flagged pixels; there is at least one."""
    rows, columns = np.flatnonzero(flags.any(axis=1)), np.flatnonzero(flags.any(axis=0))
    x, y = int(columns[0]), int(rows[0])
    return Box(x + left, y + top, int(columns[-1]) + 1 - x, int(rows[-1]) + 1 - y)
