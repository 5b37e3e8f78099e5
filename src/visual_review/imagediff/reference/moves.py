"""Find content that moved: rectangles of the later image that the earlier one has elsewhere."""

from dataclasses import replace
from typing import Final

import numpy as np

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Move
from visual_review.imagediff.reference.anchors import (
    CENTER,
    WINDOW,
    Votes,
    find_votes,
    fingerprint,
)
from visual_review.imagediff.reference.colors import Bytes, Ints
from visual_review.imagediff.reference.masks import DIFFERENT
from visual_review.imagediff.reference.rectangles import (
    Displacement,
    Field,
    Mask,
    Span,
    find_best,
    refine,
    sum_tiles,
    tile_side,
)

# Numbers of moves have six bits.
MOST_MOVES: Final = 63
LEAST_VOTES: Final = 2
# Pixels that a displacement has to explain.
LEAST_GAIN: Final = 40
# More for images that differ much: one part of so many.
GAIN_SHARE: Final = 200
MOST_LEAST_GAIN: Final = 1000
# Displacements that are tried although those before explained nothing.
MOST_FRUITLESS: Final = 4
# Pixels around all changes that are looked at, too.
SURROUNDINGS: Final = 32
# Votes weigh less for a displacement that is longer than this.
NEAR: Final = 128
WEIGHT: Final = 1 << 20
# Of one displacement.
MOST_RECTANGLES: Final = 8
MARGIN: Final = 32
# Hostile images are not searched longer: pixels to score for each pixel of the union, and at least.
EFFORT: Final = 6
LEAST_EFFORT: Final = 1 << 20
TAKEN: Final = -(1 << 30)
# Parts of lines are no taller, and no farther from each other.
TALLEST_LINE: Final = 40
LINE_GAP: Final = 24
LEAST_REFLOWED: Final = 3


def find_moves(before: Bytes, after: Bytes, mask: Mask) -> tuple[list[Move], Mask]:
    """Return moves, and for each pixel of the union the number of its displacement, from 1, or 0."""
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
    # Integers, so that all engines choose the same.
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
    """Add the rectangles of an area that a displacement explains; return their size in all."""
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
    """Let no other rectangle have a tile of this one."""
    left, top = (max(0, at // tile) for at in (span.left - area.left, span.top - area.top))
    right, bottom = (-(-at // tile) for at in (span.right - area.left, span.bottom - area.top))
    tiles[top : max(top, bottom), left : max(left, right)] = TAKEN


def _drop_reflowed(moves: list[Move], labels: Mask) -> tuple[list[Move], Mask]:
    """Leave out lines of a text that was broken anew: their parts went everywhere."""
    groups = _group_near(moves)
    kept = [move for move, size in zip(moves, groups, strict=True) if size < LEAST_REFLOWED]
    numbers = np.cumsum([0, *(size < LEAST_REFLOWED for size in groups)])
    numbers[1:][np.array(groups, np.int64) >= LEAST_REFLOWED] = 0
    return kept, numbers.astype(np.uint8)[labels]


def _group_near(moves: list[Move]) -> list[int]:
    """Return for each move how many parts of lines it is connected with, itself included."""
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
