"""Find content that moved: rectangles of the later image that the earlier one has elsewhere."""

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
# Pixels that a move has to explain.
LEAST_GAIN: Final = 40
# Of one displacement.
MOST_RECTANGLES: Final = 8
MARGIN: Final = 32
# Hostile images are not searched longer: pixels to score for each pixel of the union, and at least.
EFFORT: Final = 6
LEAST_EFFORT: Final = 1 << 20
TAKEN: Final = -(1 << 30)


def find_moves(before: Bytes, after: Bytes, mask: Mask) -> tuple[list[Move], Mask]:
    """Return moves, and for each pixel of the union the number of its move, from 1, or 0."""
    labels = np.zeros(mask.shape, np.uint8)
    field = Field(fingerprint(before), fingerprint(after), mask, labels)
    votes = find_votes(field.before, field.after, mask)
    moves: list[Move] = []
    effort = LEAST_EFFORT + EFFORT * mask.size
    while effort > 0 and len(moves) < MOST_MOVES and (found := _choose(votes)) is not None:
        displacement = Displacement(field, *found)
        same = (votes.dxs == displacement.dx) & (votes.dys == displacement.dy)
        area = _surround(votes.where(same), field.after.shape)
        effort -= (area.right - area.left) * (area.bottom - area.top)
        _take_rectangles(displacement, area, moves)
        votes = votes.where(~same & (labels[votes.ys + CENTER, votes.xs + CENTER] == 0))
    return moves, labels


def _choose(votes: Votes) -> tuple[int, int] | None:
    """Return the displacement with most votes, of equal ones the shortest."""
    if not len(votes):
        return None
    lengths = np.abs(votes.dxs) + np.abs(votes.dys)
    found, counts = np.unique(np.stack([lengths, votes.dys, votes.dxs]), axis=1, return_counts=True)
    at = int(counts.argmax())
    return None if counts[at] < LEAST_VOTES else (int(found[2, at]), int(found[1, at]))


def _surround(votes: Votes, shape: tuple[int, ...]) -> Span:
    top, left = (max(0, int(at.min()) - MARGIN) for at in (votes.ys, votes.xs))
    bottom, right = (
        min(side, int(at.max()) + WINDOW + MARGIN)
        for side, at in zip(shape, (votes.ys, votes.xs), strict=True)
    )
    return Span(left, top, right, bottom)


def _take_rectangles(displacement: Displacement, area: Span, moves: list[Move]) -> None:
    """Add the rectangles of an area that a displacement explains."""
    labels = displacement.field.labels
    tile = tile_side(area)
    tiles = sum_tiles(displacement.score(area), tile)
    for _ in range(min(MOST_RECTANGLES, MOST_MOVES - len(moves))):
        best = find_best(tiles, LEAST_GAIN)
        if best is None:
            return
        tiles[best.top : best.bottom, best.left : best.right] = TAKEN
        span = refine(displacement, _to_pixels(best, area, tile), tile)
        _block(tiles, span, area, tile)
        box = Box(span.left, span.top, span.right - span.left, span.bottom - span.top)
        moves.append(Move(box, displacement.dx, displacement.dy))
        part = labels[span.top : span.bottom, span.left : span.right]
        part[part == 0] = len(moves)


def _to_pixels(tiles: Span, area: Span, tile: int) -> Span:
    left, top = area.left + tiles.left * tile, area.top + tiles.top * tile
    right = min(area.right, area.left + tiles.right * tile)
    return Span(left, top, right, min(area.bottom, area.top + tiles.bottom * tile))


def _block(tiles: Ints, span: Span, area: Span, tile: int) -> None:
    """Let no other rectangle have a tile of this one."""
    left, top = (max(0, at // tile) for at in (span.left - area.left, span.top - area.top))
    right, bottom = (-(-at // tile) for at in (span.right - area.left, span.bottom - area.top))
    tiles[top : max(top, bottom), left : max(left, right)] = TAKEN
