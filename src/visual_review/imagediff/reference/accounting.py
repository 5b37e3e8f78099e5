"""Account for every pixel of two images between which content moved.

Each pixel of the earlier image explains at most one of the later image: in place, or where the
pixel moved to. An unexplained pixel is new, and a pixel that explains nothing is lost, unless it
has the color of the background covered or revealed by moved content. So no change can hide in a
displacement.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Move
from visual_review.imagediff.reference.colors import MAX_SQUARED, Bytes, Ints, squared_distance
from visual_review.imagediff.reference.masks import ANTI_ALIASED, DIFFERENT, Flags, Mask

Colors = npt.NDArray[np.uint32]
Slices = tuple[slice, slice]

NEW: Final = 1
LOST: Final = 2
# Bits of a label: the number of its displacement, whether the pixel equals its source, and whether
# another pixel took the source.
NUMBER: Final = 63
MATCHED: Final = 64
REPEATED: Final = 128
# Background has so many pixels of one color in a row; fewer are a spot.
FLAT: Final = 8
# Keeps temporary arrays small.
PIXELS_AT_ONCE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class MaskedPair:
    """Two images, the mask of their union, and the options of the mask."""

    before: Bytes
    after: Bytes
    mask: Mask
    regions: Flags | None
    threshold: float


def account(pair: MaskedPair, moves: list[Move], labels: Mask) -> None:
    """Replace the number of each pixel's move, from 1, by a mark for new or lost."""
    claims = _claim_sources(pair, moves, labels)
    backgrounds = _find_backgrounds(pair, moves)
    step = max(1, PIXELS_AT_ONCE // labels.shape[1])
    for top in range(0, len(labels), step):
        band = _Band(pair, moves, top, labels[top : top + step], claims[top : top + step])
        labels[top : top + step] = band.find_marks(backgrounds)


def _claim_sources(pair: MaskedPair, moves: list[Move], labels: Mask) -> Mask:
    """Return for each pixel of the earlier image the number of its displacement, 0 for none.

    The labels of pixels equal to their source get another bit.
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
    index: Ints = ys[:, None] * width + xs
    return index


def _are_alike(colors: Colors, others: Colors, index: Ints, threshold: float) -> Flags:
    """Return where the distance of colors is within the threshold."""
    alike: Flags = colors == others
    unequal = ~alike
    limit = MAX_SQUARED * threshold * threshold
    one, two = (each[unequal].view(np.uint8).reshape(-1, 4) for each in (colors, others))
    alike[unequal] = squared_distance(one, two, index[unequal]) <= limit
    return alike


def _pack(image: Bytes) -> Colors:
    return np.ascontiguousarray(image).view(np.uint32)[:, :, 0]


@dataclass(frozen=True, slots=True)
class _Backgrounds:
    """By the number of a displacement: covered color, revealed color, and whether both are one."""

    covered: list[int | None]
    revealed: list[int | None]
    are_one: list[bool]


def _find_backgrounds(pair: MaskedPair, moves: list[Move]) -> _Backgrounds:
    found = _Backgrounds([None], [None], [False])
    for move in moves:
        target = move.target
        source = Box(target.x - move.dx, target.y - move.dy, target.width, target.height)
        # Where no color prevails, or all is beyond the image, the content itself has to tell.
        own = _find_majority(_clip(pair.before, source, None))
        parts = _clip(pair.before, target, source), _clip(pair.after, source, target)
        colors = [_find_majority(part) for part in parts]
        covered, revealed = (own if color is None else color for color in colors)
        found.covered.append(covered)
        found.revealed.append(revealed)
        both = np.array([[covered or 0], [revealed or 0]], np.uint32)
        alike = _are_alike(both[0], both[1], np.zeros(1, np.int64), pair.threshold).all()
        found.are_one.append(None not in (covered, revealed) and bool(alike))
    return found


def _clip(image: Bytes, box: Box, other: Box | None) -> Colors:
    """Return the colors of a rectangle outside another one of its size, within an image."""
    part = _pack(image[box.y : box.y + box.height, box.x : box.x + box.width])
    outside = np.ones(part.shape, np.bool_)
    if other is not None:
        x, y = other.x - box.x, other.y - box.y
        outside[max(0, y) : max(0, y + box.height), max(0, x) : max(0, x + box.width)] = False
    return part[outside]


def _find_majority(colors: Colors) -> int | None:
    if not colors.size:
        return None
    values, counts = np.unique(colors, return_counts=True)
    at = int(counts.argmax())
    return int(values[at]) if 2 * counts[at] > colors.size else None


def _open_rows(flags: Flags) -> Flags:
    """Return the flags within so many in a row."""
    width = flags.shape[1]
    opened = np.zeros_like(flags)
    if width < FLAT:
        return opened
    starts = np.ones((len(flags), width - FLAT + 1), np.bool_)
    for at in range(FLAT):
        starts &= flags[:, at : at + starts.shape[1]]
    for at in range(FLAT):
        opened[:, at : at + starts.shape[1]] |= starts
    return opened


@dataclass(frozen=True, slots=True)
class _PaddedRows:
    """Rows of an image in the size of the union, and flags for its pixels."""

    colors: Colors
    has: Flags


@dataclass(frozen=True, slots=True)
class _Band:
    """Some rows of the union, with labels and claims in the form of ``_claim_sources``."""

    pair: MaskedPair
    moves: list[Move]
    top: int
    labels: Mask
    claims: Mask

    def find_marks(self, backgrounds: _Backgrounds) -> Mask:
        """Return the marks for new and lost pixels."""
        before, after = self._pad(self.pair.before), self._pad(self.pair.after)
        numbers, claims = self.labels & np.uint8(NUMBER), self.claims
        moved, left = numbers != 0, claims != 0
        matched, repeated = self.labels & MATCHED != 0, self.labels & REPEATED != 0
        mask = self.pair.mask[self.top : self.top + len(self.labels)]
        differs = mask == DIFFERENT
        # Anti-aliasing is known for both images in place only, so no target is excused.
        differs_at_all = differs | (mask == ANTI_ALIASED)
        shows, reveals, covers = (
            self._find_background(image, numbers, colors, backgrounds.are_one, ~differs)
            for image, numbers, colors in (
                (after, numbers, backgrounds.revealed),
                (after, claims, backgrounds.revealed),
                (before, numbers, backgrounds.covered),
            )
        )
        new_in_target = (differs_at_all | left) & (~matched | (repeated & ~shows))
        new_elsewhere = np.where(left, ~reveals, differs & ~self._continue_edge(after.colors, 1))
        stayed = ~matched & ~differs_at_all
        gone = np.where(
            moved, ~covers & ~stayed, ~after.has & ~self._continue_edge(before.colors, -1)
        )
        new = np.where(moved, new_in_target, after.has & new_elsewhere)
        lost = before.has & ~left & gone
        marks: Mask = new * np.uint8(NEW) | lost * np.uint8(LOST)
        return marks

    def _find_background(
        self,
        image: "_PaddedRows",
        numbers: Mask,
        backgrounds: list[int | None],
        are_one: list[bool],
        stays: Flags,
    ) -> Flags:
        """Return which pixels are covered or revealed background.

        In a changed place, covered and revealed colors must be the same, and more than a spot.
        """
        found = np.zeros(numbers.shape, np.bool_)
        for number in np.unique(numbers).tolist():
            color = backgrounds[number]
            if color is None:
                continue
            alike = image.has & self._look_alike(image.colors, np.full_like(image.colors, color))
            flat = _open_rows(alike) if are_one[number] else np.zeros_like(alike)
            own = numbers == number
            found[own] = np.where(stays, alike, flat)[own]
        return found

    def _pad(self, image: Bytes) -> "_PaddedRows":
        """Return the rows of an image in the size of the union, and flags for its pixels."""
        colors = np.zeros(self.labels.shape, np.uint32)
        has = np.zeros(self.labels.shape, np.bool_)
        rows = _pack(image[self.top : self.top + len(self.labels)])
        part = (slice(0, rows.shape[0]), slice(0, rows.shape[1]))
        colors[part], has[part] = rows, True
        return _PaddedRows(colors, has)

    def _look_alike(self, colors: Colors, others: Colors) -> Flags:
        height, width = self.labels.shape
        part = (slice(self.top, self.top + height), slice(0, width))
        return _are_alike(colors, others, _number(part, width), self.pair.threshold)

    def _continue_edge(self, larger: Colors, sign: int) -> Flags:
        """Return which pixels of the larger image alone continue the edge of the smaller one.

        A page grows or shrinks in this way when content moves, so without moves no pixel counts.
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
