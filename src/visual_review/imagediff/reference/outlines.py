"""Trace the shapes of a page without its colors: fine strokes, and long straight edges."""

from dataclasses import replace
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.outline import MOST_SHAPES, Element, Outline
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.pieces import find_pieces

Values = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# Neighbors differ in lightness by more than this where a shape ends.
STEP: Final = 12
# A straight edge of this length belongs to a card, a line or an image, and not to a letter.
LONG: Final = 32
MIDDLE: Final = 128


def trace_outline(image: Bytes, top: int, bottom: int) -> Outline | None:
    """Return elements and edges in rows of an RGBA image, or None of too many."""
    red, green, blue = (image[top:bottom, :, channel].astype(np.int64) for channel in range(3))
    luma, hue = (77 * red + 150 * green + 29 * blue) >> 8, MIDDLE + ((red - blue) >> 1)
    across, down = np.zeros(luma.shape, bool), np.zeros(luma.shape, bool)
    across[:, 1:] = np.abs(np.diff(luma, axis=1)) > STEP
    down[1:] = np.abs(np.diff(luma, axis=0)) > STEP
    edges = [Box(x, top + start, 0, length) for x, start, length in _take_long(across.T)]
    edges += [Box(start, top + y, length, 0) for y, start, length in _take_long(down)]
    strokes = (across | down).astype(np.uint8)
    boxes = find_pieces(strokes.tobytes(), strokes.shape[1])
    if boxes is None or max(len(boxes), len(edges)) > MOST_SHAPES:
        return None
    return Outline(tuple(_measure(luma, hue, box, top) for box in boxes), tuple(edges))


def _take_long(flags: Flags) -> list[tuple[int, int, int]]:
    """Remove long runs from rows of flags, and return row, start and length of each."""
    padded = np.zeros((flags.shape[0], flags.shape[1] + 2), np.int8)
    padded[:, 1:-1] = flags
    steps = np.diff(padded, axis=1)
    starts, ends = np.argwhere(steps == 1), np.argwhere(steps == -1)
    found = []
    for (row, start), end in zip(starts.tolist(), ends[:, 1].tolist(), strict=True):
        if end - start >= LONG:
            flags[row, start:end] = False
            found.append((row, start, end - start))
    return found


def _measure(luma: Values, hue: Values, box: Box, top: int) -> Element:
    area = slice(box.y, box.y + box.height), slice(box.x, box.x + box.width)
    paper = _most_common(luma[area])
    distances = np.abs(luma[area] - paper)
    tint = hue[area] - _most_common(hue[area])
    place = replace(box, y=top + box.y)
    columns, rows = np.arange(box.width), np.arange(box.height)[:, None]
    weights = (1, columns, rows, columns * columns, rows * rows)
    ink, x, y, xx, yy = (int((distances * weight).sum()) for weight in weights)
    return Element(place, paper, int(distances.max()), ink, x, y, xx, yy, int(tint.sum()))


def _most_common(values: Values) -> int:
    return int(np.bincount(values.ravel(), minlength=256).argmax())
