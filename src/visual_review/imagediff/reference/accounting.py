"""Account for every pixel of two images between which content moved.

Each pixel of the earlier image explains at most one of the later image: at its place, or where it
moved to. What is not explained is new, and what explains nothing is lost, unless it has the color
of the background that moved content came over or left behind. So no change can hide in a move.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.port import Move
from visual_review.imagediff.reference.colors import MAX_SQUARED, Bytes, Ints, squared_distance
from visual_review.imagediff.reference.masks import DIFFERENT, Flags, Mask

Colors = npt.NDArray[np.uint32]
Slices = tuple[slice, slice]

NEW: Final = 1
LOST: Final = 2
# Of a label: the number of its move, whether it equals its source, whether another took that.
NUMBER: Final = 63
MATCHED: Final = 64
REPEATED: Final = 128
# Keeps temporary arrays small.
PIXELS_AT_ONCE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Compared:
    """Two images, the mask of their union, and how it was made."""

    before: Bytes
    after: Bytes
    mask: Mask
    regions: Flags | None
    threshold: float


def account(pair: Compared, moves: list[Move], labels: Mask) -> None:
    """Replace the number of each pixel's move, from 1, by what is new or lost there."""
    claims = _claim_sources(pair, moves, labels)
    backgrounds = [_find_background(pair, move) for move in moves]
    colors = np.array([0, *(color or 0 for color in backgrounds)], np.uint32)
    known = np.array([False, *(color is not None for color in backgrounds)])
    step = max(1, PIXELS_AT_ONCE // labels.shape[1])
    for top in range(0, len(labels), step):
        band = _Band(pair, moves, top, labels[top : top + step], claims[top : top + step])
        labels[top : top + step] = band.find_marks(colors, known)


def _claim_sources(pair: Compared, moves: list[Move], labels: Mask) -> Mask:
    """Return the number of the move that took each pixel of the earlier image, 0 for none.

    The labels of pixels that equal their source get another bit.
    """
    claims = np.zeros_like(labels)
    for number, move in enumerate(moves, 1):
        step = max(1, PIXELS_AT_ONCE // move.target.width)
        for top in range(0, move.target.height, step):
            rows = slice(top, min(top + step, move.target.height))
            target, source = _slices(move, rows, 0, 0), _slices(move, rows, move.dx, move.dy)
            own = labels[target] == number
            index = _number(target, pair.mask.shape[1])
            own &= _are_alike(
                _pack(pair.before[source]), _pack(pair.after[target]), index, pair.threshold
            )
            taken = own & (claims[source] != 0)
            labels[target] |= own * np.uint8(MATCHED) | taken * np.uint8(REPEATED)
            claims[source][own & ~taken] = number
    return claims


def _slices(move: Move, rows: slice, dx: int, dy: int) -> Slices:
    """Return rows of a target, or (dx, dy) away from there."""
    left, top = move.target.x - dx, move.target.y - dy
    return slice(top + rows.start, top + rows.stop), slice(left, left + move.target.width)


def _number(part: Slices, width: int) -> Ints:
    """Return the index of each pixel of a part in the union."""
    rows, columns = part
    ys, xs = np.arange(rows.start, rows.stop), np.arange(columns.start, columns.stop)
    return ys[:, None] * width + xs


def _are_alike(colors: Colors, others: Colors, index: Ints, threshold: float) -> Flags:
    """Return where the distance of colors is within the threshold."""
    alike = colors == others
    unequal = ~alike
    limit = MAX_SQUARED * threshold * threshold
    one, two = (each[unequal].view(np.uint8).reshape(-1, 4) for each in (colors, others))
    alike[unequal] = squared_distance(one, two, index[unequal]) <= limit
    return alike


def _pack(image: Bytes) -> Colors:
    return np.ascontiguousarray(image).view(np.uint32)[:, :, 0]


def _find_background(pair: Compared, move: Move) -> int | None:
    """Return the color that most of what a move came over has, or most of what moved."""
    target = move.target
    height, width = pair.before.shape[:2]
    covered = np.zeros((target.height, target.width), np.bool_)
    covered[: max(0, height - target.y), : max(0, width - target.x)] = True
    # Without what the content left.
    covered[
        max(0, -move.dy) : max(0, target.height - max(0, move.dy)),
        max(0, -move.dx) : max(0, target.width - max(0, move.dx)),
    ] = False
    rows = slice(0, target.height)
    if covered.any():
        part = pair.before[_slices(move, rows, 0, 0)]
        chosen = _pack(part)[covered[: part.shape[0], : part.shape[1]]]
    else:
        chosen = _pack(pair.before[_slices(move, rows, move.dx, move.dy)]).ravel()
    values, counts = np.unique(chosen, return_counts=True)
    at = int(counts.argmax())
    return int(values[at]) if 2 * counts[at] > chosen.size else None


@dataclass(frozen=True, slots=True)
class _Band:
    """Some rows of the union, with labels and claims as ``_claim_sources`` leaves them."""

    pair: Compared
    moves: list[Move]
    top: int
    labels: Mask
    claims: Mask

    def find_marks(self, colors: Colors, known: Flags) -> Mask:
        """Return what is new or lost; ``colors`` are the backgrounds of moves."""
        before, in_before = self._pad(self.pair.before)
        after, in_after = self._pad(self.pair.after)
        numbers, claims = self.labels & NUMBER, self.claims
        moved, left = numbers != 0, claims != 0
        matched, repeated = self.labels & MATCHED != 0, self.labels & REPEATED != 0
        differs = self.pair.mask[self.top : self.top + len(self.labels)] == DIFFERENT
        shown = known[numbers] & self._look_alike(after, colors[numbers])
        revealed = known[claims] & self._look_alike(after, colors[claims])
        covered = known[numbers] & self._look_alike(before, colors[numbers])
        new_in_target = (differs | left) & (~matched | (repeated & ~shown))
        new_elsewhere = np.where(left, ~revealed, differs & ~self._continue_edge(after, 1))
        stayed = ~matched & ~differs
        gone = np.where(moved, ~covered & ~stayed, ~in_after & ~self._continue_edge(before, -1))
        new = np.where(moved, new_in_target, in_after & new_elsewhere)
        lost = in_before & ~left & gone
        marks: Mask = new * np.uint8(NEW) | lost * np.uint8(LOST)
        return marks

    def _pad(self, image: Bytes) -> tuple[Colors, Flags]:
        """Return the rows of an image in the size of the union, and which pixels it has."""
        colors = np.zeros(self.labels.shape, np.uint32)
        has = np.zeros(self.labels.shape, np.bool_)
        rows = _pack(image[self.top : self.top + len(self.labels)])
        part = (slice(0, rows.shape[0]), slice(0, rows.shape[1]))
        colors[part], has[part] = rows, True
        return colors, has

    def _look_alike(self, colors: Colors, others: Colors) -> Flags:
        height, width = self.labels.shape
        part = (slice(self.top, self.top + height), slice(0, width))
        return _are_alike(colors, others, _number(part, width), self.pair.threshold)

    def _continue_edge(self, larger: Colors, sign: int) -> Flags:
        """Return which pixels of the larger image alone continue the edge of the smaller one.

        A page grows or shrinks like that when content moves, so some has to.
        """
        smaller = self.pair.before if sign > 0 else self.pair.after
        height, width = smaller.shape[:2]
        edges, found = np.zeros_like(larger), np.zeros(larger.shape, np.bool_)
        below = max(0, height - self.top)
        if any(sign * move.dy > 0 for move in self.moves):
            edges[below:, :width] = _pack(smaller[-1:])
            found[below:, :width] = True
        if any(sign * move.dx > 0 for move in self.moves):
            beside = _pack(smaller[self.top : self.top + len(larger), -1:])
            edges[:below, width:] = beside
            found[:below, width:] = True
        found &= self._look_alike(larger, edges)
        return found
