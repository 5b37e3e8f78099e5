"""The differences left once moved content is in its new place, in connected pieces."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Move, Piece
from visual_review.imagediff.reference.accounting import LOST, NEW
from visual_review.imagediff.reference.boxes import connect_pixels
from visual_review.imagediff.reference.colors import Bytes
from visual_review.imagediff.reference.masks import DIFFERENT, FAINT, Flags, Mask

PackedPixels = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]
# Rounding of mixed colors, in levels of a channel.
ROUNDING: Final = 4
# How far a mix may reach beyond both colors, in percent of their distance.
BEYOND: Final = (3, 5)
# A color mixed with the replaced color has at least this distance from the replaced color.
CONTRAST: Final = 32
# More than one in so many pixels around with either color make the color the background.
SPILL: Final = 10
OPAQUE: Final = 255
# Moved content is faintly changed in squares of so many pixels a side, if all pixels differ by at
# least so many levels, and by nearly the same.
SQUARE: Final = 8
LEAST: Final = 3
STEP: Final = 2
# Spreads neighboring places over all bits: 2 to the power of 64, divided by the golden ratio.
GOLDEN: Final = np.uint64(0x9E3779B97F4A7C15)
# The pixels next to moved content are no farther away, in pixels, than its move and this margin.
NEXT: Final = 8
Span = tuple[slice, slice]


@dataclass(frozen=True, slots=True)
class Rest:
    """Two images, the mask of their union, and their alignment."""

    before: Bytes
    after: Bytes
    mask: Mask
    aligned: Mask
    moves: Sequence[Move]

    def find_pieces(self, regions: Flags | None) -> tuple[Piece, ...] | None:
        """Return all pieces outside regions, top to bottom; None if there are too many."""
        marks = self._mark()
        if regions is not None:
            marks &= ~regions
        boxes = connect_pixels(marks.astype(np.uint8).tobytes(), marks.shape[1])
        if boxes is None:
            return None
        colors = _Colors.of(self)
        return tuple(_describe(colors, marks, box) for box in boxes)

    def _mark(self) -> Flags:
        different = (self.mask == DIFFERENT) & (self.aligned != 0)
        faint = self.mask == FAINT
        for move in self.moves:
            for area in (_target(move), _source(move)):
                faint[area] = False
            if move.dx == 0 and move.dy > 0:
                box = move.target
                top = max(box.y, len(self.after)) - move.dy
                area = slice(max(top, 0), None), slice(box.x, box.x + box.width)
                different[area] &= self.aligned[area] != LOST
            self._drop_next_to(move, different)
        marks: Flags = different | faint
        for move in self.moves:
            self._mark_faint(move, marks)
        return marks

    def _mark_faint(self, move: Move, marks: Flags) -> None:
        """Mark the squares of moved content with a slight and even change of brightness."""
        target = _target(move)
        change = (
            self.after[target][:, :, :3].astype(np.int64) - self.before[_source(move)][:, :, :3]
        )
        same = (self.mask[target] != 0) & (self.aligned[target] == 0)
        height, width = (side // SQUARE * SQUARE for side in same.shape)
        if not (height and width):
            return
        shape = (height // SQUARE, SQUARE, width // SQUARE, SQUARE)
        squares = change[:height, :width].reshape(*shape, 3)
        first = squares[:, :1, :, :1]
        near = (np.abs(squares - first) <= STEP).all(axis=(1, 3, 4))
        faint = near & (np.abs(first) >= LEAST).any(axis=(1, 3, 4))
        faint &= same[:height, :width].reshape(shape).all(axis=(1, 3))
        marks[target][:height, :width] |= faint.repeat(SQUARE, axis=0).repeat(SQUARE, axis=1)

    def _drop_next_to(self, move: Move, different: Flags) -> None:
        """Drop the pixels moved along with content next to them.

        Moved content ends where both images are equal in place, possibly within the same element,
        and whole rows or columns move together.
        """
        came = _within(self._find_equal(move), move)
        went = np.zeros_like(came)
        height, width = came.shape
        target = (
            slice(max(0, move.dy), min(height, height + move.dy)),
            slice(max(0, move.dx), min(width, width + move.dx)),
        )
        went[_shift(target, move)] = came[target]
        different &= ~(((self.aligned & NEW == 0) | came) & ((self.aligned & LOST == 0) | went))

    def _find_equal(self, move: Move) -> Flags:
        """Return where the later image equals the earlier one at the source."""
        equal = np.zeros(self.mask.shape, np.bool_)
        sizes = zip(self.before.shape[:2], self.after.shape[:2], (move.dy, move.dx), strict=True)
        rows, columns = (
            slice(max(0, by), max(0, by, min(old + by, new))) for old, new, by in sizes
        )
        target = (rows, columns)
        equal[target] = (self.after[target] == self.before[_shift(target, move)]).all(axis=2)
        return equal


def _within(flags: Flags, move: Move) -> Flags:
    """Return the flags next to the target of moved content, and within."""
    box, (height, width) = move.target, flags.shape
    wide = abs(move.dx) + NEXT if move.dx else width
    high = abs(move.dy) + NEXT if move.dy else height
    area = (
        slice(max(0, box.y - high), box.y + box.height + high),
        slice(max(0, box.x - wide), box.x + box.width + wide),
    )
    near = np.zeros_like(flags)
    near[area] = flags[area]
    return near


def _shift(area: Span, move: Move) -> Span:
    """Return where a part of the later image was."""
    rows, columns = area
    return (
        slice(rows.start - move.dy, rows.stop - move.dy),
        slice(columns.start - move.dx, columns.stop - move.dx),
    )


@dataclass(frozen=True, slots=True)
class _Colors:
    """The earlier and later color of each pixel of the union, and whether the color counts."""

    # The earlier image itself.
    in_place: PackedPixels
    # The extent of the earlier image.
    covered: Flags
    # The extent of the later image.
    inside: Flags
    before: PackedPixels
    after: PackedPixels
    # Whether ``before`` counts.
    was: Flags
    # Whether ``after`` counts.
    is_now: Flags

    @classmethod
    def of(cls, rest: Rest) -> "_Colors":
        shape = (rest.mask.shape[0], rest.mask.shape[1])
        (plain, known), (after, is_now) = (_pack(each, shape) for each in (rest.before, rest.after))
        before, was = plain.copy(), known.copy()
        inside = is_now.copy()
        if not rest.moves:
            return cls(plain, known, inside, before, after, was, is_now)
        for move in rest.moves:
            was[_source(move)] = False
        # Of overlapping targets, the first one counts.
        for move in reversed(rest.moves):
            before[_target(move)] = plain[_source(move)]
            was[_target(move)] = known[_source(move)]
        faint, lost = rest.mask == FAINT, rest.aligned == LOST
        in_place = faint | lost
        before[in_place], was[in_place] = plain[in_place], known[in_place]
        is_now &= faint | ~lost
        return cls(plain, known, inside, before, after, was, is_now)


def _target(move: Move) -> Span:
    box = move.target
    return slice(box.y, box.y + box.height), slice(box.x, box.x + box.width)


def _source(move: Move) -> Span:
    box = move.target
    top, left = box.y - move.dy, box.x - move.dx
    return slice(top, top + box.height), slice(left, left + box.width)


def _pack(image: Bytes, shape: tuple[int, int]) -> tuple[PackedPixels, Flags]:
    """Return the colors on a union of ``shape``, red in the lowest byte, and the image's extent."""
    height, width = image.shape[:2]
    packed, inside = np.zeros(shape, np.uint64), np.zeros(shape, np.bool_)
    for channel in range(4):
        packed[:height, :width] |= image[:, :, channel].astype(np.uint64) << np.uint64(8 * channel)
    inside[:height, :width] = True
    return packed, inside


def _describe(colors: _Colors, marks: Flags, box: Box) -> Piece:
    area = slice(box.y, box.y + box.height), slice(box.x, box.x + box.width)
    y, x = marks[area].nonzero()
    at = y + box.y, x + box.x
    was, is_now = colors.was[at], colors.is_now[at]
    before, after = colors.before[at] * was, colors.after[at] * is_now
    known = was.astype(np.uint64) | is_now.astype(np.uint64) << np.uint64(1)
    where = x.astype(np.uint64) | y.astype(np.uint64) << np.uint64(24)
    place: PackedPixels = (where | known << np.uint64(48)) * GOLDEN
    mixed = _mix((before | after << np.uint64(32)) ^ place)
    sums = mixed.sum(), (mixed * (place | np.uint64(1))).sum()
    digest = "".join(f"{int(each):016x}" for each in sums)
    recolored = find_recolored(before, after) if (was & is_now).all() else None
    if recolored is not None and not _has_outline(colors, marks, box, recolored):
        recolored = None
    return Piece(box, len(y), digest, recolored)


def _mix(value: PackedPixels) -> PackedPixels:
    """Return the finalizer of SplitMix64 (Steele, Lea and Flood, 2014)."""
    value = (value ^ value >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ value >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return value ^ value >> np.uint64(31)


def find_recolored(before: PackedPixels, after: PackedPixels) -> tuple[int, int] | None:
    """Return the main pair of colors if all others are mixes with a color that stayed.

    If a color A was replaced by B, a former mix of A and C in any proportion is now a mix of B and
    C, so every pixel changed along the line from A to B.
    """
    ordered = before << np.uint64(32) | after
    pairs, counts = np.unique(ordered, return_counts=True)
    # Of equally frequent pairs, the first one.
    old, new = divmod(int(pairs[counts.argmax()]), 1 << 32)
    if old == new:
        return None
    first, one, two = (
        _channels(np.array(each, np.uint64))
        for each in ([old, new], pairs >> np.uint64(32), pairs & np.uint64(0xFFFFFFFF))
    )
    line = (first[1] - first[0])[:3]
    length = int((line * line).sum())
    change = (two - one)[:, :3]
    along = (change * line).sum(axis=1)
    is_between = (100 * along >= -BEYOND[0] * length) & (100 * along <= (100 + BEYOND[1]) * length)
    # A mix with something else had another color before; new strokes had none.
    own = np.abs(one - first[0])[:, :3].max(axis=1)
    is_mix = (own + ROUNDING) * length >= CONTRAST * (length - along)
    is_near = np.abs(change * length - along[:, None] * line) <= ROUNDING * length
    is_opaque = bool((first[:, 3] == OPAQUE).all()) & (one[:, 3] == OPAQUE) & (two[:, 3] == OPAQUE)
    fits = is_between & is_mix & is_near.all(axis=1) & is_opaque
    return (old, new) if fits.all() else None


def _channels(colors: PackedPixels) -> Ints:
    shifts = np.array([0, 8, 16, 24], np.uint64)
    return (colors[:, None] >> shifts & np.uint64(255)).astype(np.int64)


def _has_outline(colors: _Colors, marks: Flags, box: Box, pair: tuple[int, int]) -> bool:
    """Return whether the piece ends at the same outline, not on a background of its color."""
    area = (
        slice(max(0, box.y - 1), box.y + box.height + 1),
        slice(max(0, box.x - 1), box.x + box.width + 1),
    )
    own = marks[area]
    # The pixels next to the area may belong to another piece.
    wider = np.pad(marks, 1)[
        area[0].start : min(area[0].stop, len(marks)) + 2,
        area[1].start : min(area[1].stop, marks.shape[1]) + 2,
    ]
    touches = wider[:-2, 1:-1] | wider[2:, 1:-1] | wider[1:-1, :-2] | wider[1:-1, 2:]
    around = touches & ~own
    was = around & colors.covered[area] & (colors.in_place[area] == pair[0])
    is_now = around & colors.inside[area] & (colors.after[area] == pair[1])
    return int(max(was.sum(), is_now.sum())) * SPILL <= int(around.sum())
