"""Find moved content: rectangles of the later image found elsewhere in the earlier one."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Move
from visual_review.imagediff.reference.anchors import (
    CENTER,
    WINDOW,
    Fingerprints,
    Votes,
    find_votes,
    fingerprint,
)
from visual_review.imagediff.reference.colors import Bytes, Ints
from visual_review.imagediff.reference.masks import DIFFERENT

Mask = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
# The score of an unexplained pixel; an explained pixel weighs less.
MISMATCH: Final = -2
FIRST_TILE: Final = 16
MOST_COLUMNS: Final = 96
MOST_ROWS: Final = 1024
TAKEN: Final = -(1 << 30)
# Rows without any gain allowed between two pieces of content.
MOST_NEUTRAL: Final = 64
# Numbers of moves have six bits.
MOST_MOVES: Final = 63
LEAST_VOTES: Final = 2
# A displacement has to explain so many pixels,
LEAST_GAIN: Final = 40
# and more in very different images: one of so many different pixels.
GAIN_SHARE: Final = 200
MOST_LEAST_GAIN: Final = 1000
# After so many displacements without an explanation in a row, the search ends.
MOST_FRUITLESS: Final = 4
# Pixels around all changes, included in the search.
SURROUNDINGS: Final = 32
# Votes weigh less for a longer displacement.
NEAR: Final = 128
WEIGHT: Final = 1 << 20
# Of one displacement.
MOST_RECTANGLES: Final = 8
MARGIN: Final = 32
# Hostile images are not searched longer: pixels to score for each pixel of the union, and at least.
EFFORT: Final = 6
LEAST_EFFORT: Final = 1 << 20
# Parts of lines are no taller, and no farther from each other.
TALLEST_LINE: Final = 40
LINE_GAP: Final = 24
LEAST_REFLOWED: Final = 3


class Span(NamedTuple):
    """Columns from ``left`` to before ``right``, rows from ``top`` to before ``bottom``."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Field:
    """Both images as fingerprints, the mask of differences, and the moved pixels.

    ``labels`` has the number of a displacement for each pixel of the union, 0 for none.
    """

    before: Fingerprints
    after: Fingerprints
    mask: Mask
    labels: Mask


@dataclass(frozen=True, slots=True)
class Displacement:
    """Scores each pixel of the later image by its equality with ``before`` at (-dx, -dy).

    An equal pixel gains 1 if both places changed: otherwise the content was copied, or stayed.
    An unequal pixel costs more.
    """

    field: Field
    dx: int
    dy: int

    def score(self, span: Span, *, bonus: bool = False) -> Ints:
        """Return a score for each pixel; ``bonus`` is for pixels of one image only."""
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
        """Return which pixels are in one image only: in place, or at the earlier place."""
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
    """Return the rectangle of tiles with the largest sum, if at least ``least``.

    Of rectangles with the same sum, the first by left, right and bottom side.
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
    """Return the longest prefix with the lowest sum, and not of the whole size."""
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
    """Return how many lines to add: up to the last gaining one, before the first differing one."""
    gained = 0
    for count, at in enumerate(lines):
        scores = displacement.score(line(at), bonus=True)
        if count - gained >= limit or scores.min() < 0:
            break
        if scores.any():
            gained = count + 1
    return gained


def find_moves(before: Bytes, after: Bytes, mask: Mask) -> tuple[list[Move], Mask]:
    """Return moves, and for each pixel of the union the number of its displacement, or 0."""
    labels = np.zeros(mask.shape, np.uint8)
    top, bottom = _surround_changes(mask, 1)
    left, right = _surround_changes(mask, 0)
    part = (slice(top, bottom), slice(left, right))
    field = Field(fingerprint(before[part]), fingerprint(after[part]), mask[part], labels[part])
    moves, labels[part] = _drop_reflowed(_find_moves(field), field.labels)
    return [_shift(move, left, top) for move in moves], labels


def _surround_changes(mask: Mask, axis: int) -> tuple[int, int]:
    found = np.flatnonzero(mask.any(axis=axis))
    return max(0, int(found[0]) - SURROUNDINGS), int(found[-1]) + 1 + SURROUNDINGS


def _shift(move: Move, x: int, y: int) -> Move:
    box = move.target
    return replace(move, target=Box(box.x + x, box.y + y, box.width, box.height))


def _find_moves(field: Field) -> list[Move]:
    votes = find_votes(field.before, field.after, field.mask)
    least = _least_gain(field)
    effort = LEAST_EFFORT + EFFORT * field.after.size
    moves: list[Move] = []
    fruitless = 0
    while effort > 0 and len(moves) < MOST_MOVES and fruitless < MOST_FRUITLESS:
        found = _choose(votes)
        if found is None:
            break
        displacement, count = Displacement(field, *found), len(moves)
        same = (votes.dxs == displacement.dx) & (votes.dys == displacement.dy)
        area = _surround(votes.where(same), field.after.shape)
        effort -= (area.right - area.left) * (area.bottom - area.top)
        effort -= _take_rectangles(displacement, area, least, moves)
        fruitless = 0 if len(moves) > count else fruitless + 1
        votes = votes.where(~same & (field.labels[votes.ys + CENTER, votes.xs + CENTER] == 0))
    return moves


def _least_gain(field: Field) -> int:
    height, width = np.minimum(field.before.shape, field.after.shape)
    different = int(np.count_nonzero(field.mask[:height, :width] == DIFFERENT))
    return max(LEAST_GAIN, min(different // GAIN_SHARE, MOST_LEAST_GAIN))


def _choose(votes: Votes) -> tuple[int, int] | None:
    """Return the displacement with most votes for its length, of equal ones the shortest."""
    lengths = np.abs(votes.dxs) + np.abs(votes.dys)
    found, counts = np.unique(np.stack([lengths, votes.dys, votes.dxs]), axis=1, return_counts=True)
    found, counts = found[:, counts >= LEAST_VOTES], counts[counts >= LEAST_VOTES]
    if not counts.size:
        return None
    # Integers, so all engines choose the same displacement.
    at = int((counts * WEIGHT // (found[0] + NEAR)).argmax())
    return int(found[2, at]), int(found[1, at])


def _surround(votes: Votes, shape: tuple[int, ...]) -> Span:
    top, left = (max(0, int(at.min()) - MARGIN) for at in (votes.ys, votes.xs))
    bottom, right = (
        min(side, int(at.max()) + WINDOW + MARGIN)
        for side, at in zip(shape, (votes.ys, votes.xs), strict=True)
    )
    return Span(left, top, right, bottom)


def _take_rectangles(displacement: Displacement, area: Span, least: int, moves: list[Move]) -> int:
    """Add the rectangles of an area explained by a displacement; return their size in all."""
    effort, labels = 0, displacement.field.labels
    tile = tile_side(area)
    tiles = sum_tiles(displacement, area, tile)
    for _ in range(MOST_RECTANGLES):
        best = find_best(tiles, least)
        if best is None or len(moves) == MOST_MOVES:
            break
        tiles[best.top : best.bottom, best.left : best.right] = TAKEN
        span = refine(displacement, _to_pixels(best, area, tile), tile)
        _block(tiles, span, area, tile)
        width, height = span.right - span.left, span.bottom - span.top
        effort += width * height
        if min(width, height) < WINDOW:
            continue
        moves.append(
            Move(Box(span.left, span.top, width, height), displacement.dx, displacement.dy)
        )
        part = labels[span.top : span.bottom, span.left : span.right]
        part[part == 0] = len(moves)
    return effort


def _to_pixels(tiles: Span, area: Span, tile: int) -> Span:
    left, top = area.left + tiles.left * tile, area.top + tiles.top * tile
    right = min(area.right, area.left + tiles.right * tile)
    return Span(left, top, right, min(area.bottom, area.top + tiles.bottom * tile))


def _block(tiles: Ints, span: Span, area: Span, tile: int) -> None:
    """Keep the tiles of a rectangle out of other rectangles."""
    left, top = (max(0, at // tile) for at in (span.left - area.left, span.top - area.top))
    right, bottom = (-(-at // tile) for at in (span.right - area.left, span.bottom - area.top))
    tiles[top : max(top, bottom), left : max(left, right)] = TAKEN


def _drop_reflowed(moves: list[Move], labels: Mask) -> tuple[list[Move], Mask]:
    """Leave out lines of a reflowed text, because their parts move in many directions."""
    groups = _group_near(moves)
    kept = [move for move, size in zip(moves, groups, strict=True) if size < LEAST_REFLOWED]
    numbers = np.cumsum([0, *(size < LEAST_REFLOWED for size in groups)])
    numbers[1:][np.array(groups, np.int64) >= LEAST_REFLOWED] = 0
    return kept, numbers.astype(np.uint8)[labels]


def _group_near(moves: list[Move]) -> list[int]:
    """Return for each move the number of connected parts of lines, itself included."""
    group = list(range(len(moves)))
    for one, first in enumerate(moves):
        for two, second in enumerate(moves[:one]):
            if _are_of_one_text(first, second) and group[one] != group[two]:
                old, new = group[one], group[two]
                group = [new if each == old else each for each in group]
    return [group.count(each) for each in group]


def _are_of_one_text(one: Move, two: Move) -> bool:
    if max(one.target.height, two.target.height) > TALLEST_LINE or one.dx == two.dx:
        return False
    return (
        one.target.x <= two.target.x + two.target.width + LINE_GAP
        and two.target.x <= one.target.x + one.target.width + LINE_GAP
        and one.target.y <= two.target.y + two.target.height + LINE_GAP
        and two.target.y <= one.target.y + one.target.height + LINE_GAP
    )
