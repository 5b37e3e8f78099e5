"""Find the rectangle of an area in which a displacement explains most."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.reference.anchors import Fingerprints
from visual_review.imagediff.reference.colors import Ints

Mask = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

# A pixel that the displacement does not explain weighs more than one that it does.
MISMATCH: Final = -2
FIRST_TILE: Final = 16
MOST_COLUMNS: Final = 96
MOST_ROWS: Final = 1024
TAKEN: Final = -(1 << 30)
# Rows without any gain that may lie between content and other content.
MOST_NEUTRAL: Final = 64


class Span(NamedTuple):
    """Columns from ``left`` to before ``right``, rows from ``top`` to before ``bottom``."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Field:
    """Both images as fingerprints, where they differ, and what was found to have moved.

    ``labels`` has the number of a displacement for each pixel of the union, 0 for none.
    """

    before: Fingerprints
    after: Fingerprints
    mask: Mask
    labels: Mask


@dataclass(frozen=True, slots=True)
class Displacement:
    """Scores the pixels of the later image by whether ``before`` had them (dx, dy) away.

    A pixel that is explained gains 1 if something changed both there and where it was: otherwise it
    was copied, or nothing happened. One that is not costs more.
    """

    field: Field
    dx: int
    dy: int

    def score(self, span: Span, *, bonus: bool = False) -> Ints:
        """Return a score for each pixel; ``bonus`` is for those that only one image has."""
        scores = np.full((span.bottom - span.top, span.right - span.left), MISMATCH, np.int64)
        height, width = self.field.before.shape
        left, right = max(span.left, self.dx), min(span.right, width + self.dx)
        top, bottom = max(span.top, self.dy), min(span.bottom, height + self.dy)
        if left < right and top < bottom:
            inner = Span(left, top, right, bottom)
            part = scores[top - span.top : bottom - span.top, left - span.left : right - span.left]
            part[:] = self._score_inner(inner, bonus=bonus)
        labels = self.field.labels[span.top : span.bottom, span.left : span.right]
        scores[labels != 0] = 0
        return scores

    def _score_inner(self, span: Span, *, bonus: bool) -> Ints:
        rows, columns = slice(span.top, span.bottom), slice(span.left, span.right)
        old_rows = slice(span.top - self.dy, span.bottom - self.dy)
        old_columns = slice(span.left - self.dx, span.right - self.dx)
        equal = self.field.after[rows, columns] == self.field.before[old_rows, old_columns]
        gains = (self.field.mask[rows, columns] != 0) & (
            self.field.mask[old_rows, old_columns] != 0
        )
        if bonus:
            gains |= self._is_beyond(span)
        return np.where(equal, gains.astype(np.int64), MISMATCH)

    def _is_beyond(self, span: Span) -> Flags:
        """Return which pixels are in one image only: at their place, or where they were."""
        (old_height, old_width), (height, width) = self.field.before.shape, self.field.after.shape
        ys, xs = np.arange(span.top, span.bottom), np.arange(span.left, span.right)
        rows = (ys >= old_height) | (ys - self.dy >= height)
        columns = (xs >= old_width) | (xs - self.dx >= width)
        beyond: Flags = rows[:, None] | columns[None, :]
        return beyond


def tile_side(span: Span) -> int:
    tile = FIRST_TILE
    while span.right - span.left > MOST_COLUMNS * tile or span.bottom - span.top > MOST_ROWS * tile:
        tile *= 2
    return tile


def sum_tiles(displacement: Displacement, area: Span, tile: int) -> Ints:
    """Return the sum of the scores of each tile of an area."""
    lefts, rows = np.arange(0, area.right - area.left, tile), []
    for top in range(area.top, area.bottom, tile):
        band = area._replace(top=top, bottom=min(top + tile, area.bottom))
        rows.append(np.add.reduceat(displacement.score(band).sum(axis=0), lefts))
    return np.stack(rows)


def find_best(tiles: Ints, least: int) -> Span | None:
    """Return the rectangle of tiles with the largest sum, if that is ``least`` or more.

    Of equal ones, the first by its left, right and bottom side.
    """
    best, found = least - 1, None
    for left in range(tiles.shape[1]):
        sums = np.cumsum(np.cumsum(tiles[:, left:], axis=1), axis=0).T
        sums = np.concatenate([np.zeros((len(sums), 1), np.int64), sums], axis=1)
        lowest = np.minimum.accumulate(sums[:, :-1], axis=1)
        gains = sums[:, 1:] - lowest
        at = int(gains.argmax())
        across, down = divmod(at, gains.shape[1])
        if gains[across, down] > best:
            best = int(gains[across, down])
            top = int(np.flatnonzero(sums[across, : down + 1] == lowest[across, down])[-1])
            found = Span(left, top, left + across + 1, down + 1)
    return found


def refine(displacement: Displacement, span: Span, tile: int) -> Span:
    """Move the sides of a rectangle of tiles to where the content ends."""
    span = _trim(displacement, span, tile)
    for _ in range(2):
        span = _grow(displacement, span)
    return span


def _trim(displacement: Displacement, span: Span, tile: int) -> Span:
    left, top, right, bottom = span
    sums = displacement.score(Span(left, top, right, min(bottom, top + tile))).sum(axis=1)
    top += _lowest_prefix(sums, bottom - top)
    sums = displacement.score(Span(left, max(top, bottom - tile), right, bottom)).sum(axis=1)
    bottom -= _lowest_prefix(sums[::-1], bottom - top)
    sums = displacement.score(Span(left, top, min(right, left + tile), bottom)).sum(axis=0)
    left += _lowest_prefix(sums, right - left)
    sums = displacement.score(Span(max(left, right - tile), top, right, bottom)).sum(axis=0)
    right -= _lowest_prefix(sums[::-1], right - left)
    return Span(left, top, right, bottom)


def _lowest_prefix(sums: Ints, size: int) -> int:
    """Return the longest prefix with the lowest sum that leaves something."""
    prefixes = np.concatenate([[0], np.cumsum(sums)])[:size]
    return int(np.flatnonzero(prefixes == prefixes.min())[-1])


def _grow(displacement: Displacement, span: Span) -> Span:
    field = displacement.field
    (old_height, old_width), (height, width) = field.before.shape, field.after.shape
    left, top, right, bottom = span
    rows = range(top - 1, -1, -1)
    top -= _count_gains(displacement, rows, lambda y: Span(left, y, right, y + 1), MOST_NEUTRAL)
    limit = MOST_NEUTRAL if height == old_height else height
    rows = range(bottom, height)
    bottom += _count_gains(displacement, rows, lambda y: Span(left, y, right, y + 1), limit)
    columns = range(left - 1, -1, -1)
    left -= _count_gains(displacement, columns, lambda x: Span(x, top, x + 1, bottom), MOST_NEUTRAL)
    limit = MOST_NEUTRAL if width == old_width else width
    columns = range(right, width)
    right += _count_gains(displacement, columns, lambda x: Span(x, top, x + 1, bottom), limit)
    return Span(left, top, right, bottom)


def _count_gains(
    displacement: Displacement, lines: range, line: Callable[[int], Span], limit: int
) -> int:
    """Return how many lines to add: to the last one that gains, before one that differs."""
    gained = 0
    for count, at in enumerate(lines):
        scores = displacement.score(line(at), bonus=True)
        if count - gained >= limit or scores.min() < 0:
            break
        if scores.any():
            gained = count + 1
    return gained
