"""Account for every pixel of two images between which content moved.

Each pixel of the earlier image explains at most one of the later image: at its place, or where it
moved to. What is not explained is new, and what explains nothing is lost, unless it has the color
of the background that moved content came over or left behind. So no change can hide in a move.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Move
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.colors import MAX_SQUARED, Bytes, squared_distance
from visual_review.imagediff.reference.masks import DIFFERENT, Flags, Mask
from visual_review.imagediff.reference.moves import find_moves

Colors = npt.NDArray[np.uint32]

NEW: Final = 1
LOST: Final = 2
# Shared boxes, and boxes of each strip that only one image has: 50 together.
SHARED_BOXES: Final = 40
STRIP_BOXES: Final = 5


@dataclass(frozen=True, slots=True)
class Compared:
    """Two images, the mask of their union, and how it was made."""

    before: Bytes
    after: Bytes
    mask: Mask
    regions: Flags | None
    threshold: float


def align(pair: Compared) -> Alignment:
    """Find content that moved, and what differs besides."""
    moves: list[Move] = []
    plain = (pair.mask == DIFFERENT).astype(np.uint8)
    mask = plain
    if plain.any():
        moves, labels = find_moves(pair.before, pair.after, pair.mask)
        if moves:
            mask = _account(pair, moves, labels)
    if moves and _count(mask, pair.regions) > _count(plain, pair.regions):
        moves, mask = [], plain
    return Alignment(
        moves=tuple(moves),
        mask=mask.data.cast("B"),
        pixels=_count(mask, pair.regions),
        boxes=_find_boxes(mask, pair),
    )


def _count(mask: Mask, regions: Flags | None) -> int:
    marked = mask != 0
    return int(np.count_nonzero(marked if regions is None else marked & ~regions))


def _account(pair: Compared, moves: list[Move], labels: Mask) -> Mask:
    before, after = _pad(pair.before, pair.mask.shape), _pad(pair.after, pair.mask.shape)
    matched, repeated, claims = _claim_sources(pair, moves, labels)
    colors, known = _find_backgrounds(before, pair, moves)
    in_before, in_after = (_flag(pair.mask.shape, each.shape) for each in (pair.before, pair.after))
    differs, moved, left = pair.mask == DIFFERENT, labels != 0, claims != 0
    shows_background = known[labels] & _look_alike(after, colors[labels], pair)
    reveals_background = known[claims] & _look_alike(after, colors[claims], pair)
    covers_background = known[labels] & _look_alike(before, colors[labels], pair)
    grown, shrunk = _continue_edges(before, after, pair, moves)
    new = np.where(
        moved,
        (differs | left) & np.where(matched, repeated & ~shows_background, True),
        in_after & np.where(left, ~reveals_background, differs & ~grown),
    )
    stayed = moved & ~matched & ~differs
    gone = np.where(moved, ~covers_background & ~stayed, ~in_after & ~shrunk)
    lost = in_before & ~left & gone
    return (new * np.uint8(NEW) + lost * np.uint8(LOST)).astype(np.uint8)


def _pad(image: Bytes, shape: tuple[int, ...]) -> Colors:
    padded = np.zeros(shape, np.uint32)
    padded[: image.shape[0], : image.shape[1]] = _pack(image)
    return padded


def _pack(image: Bytes) -> Colors:
    return np.ascontiguousarray(image).view(np.uint32)[:, :, 0]


def _flag(shape: tuple[int, ...], inner: tuple[int, ...]) -> Flags:
    flags = np.zeros(shape, np.bool_)
    flags[: inner[0], : inner[1]] = True
    return flags


def _claim_sources(pair: Compared, moves: list[Move], labels: Mask) -> tuple[Flags, Flags, Mask]:
    """Return which pixels equal their source, whose source moved elsewhere, and who took each."""
    matched, repeated = np.zeros(labels.shape, np.bool_), np.zeros(labels.shape, np.bool_)
    claims = np.zeros_like(labels)
    for number, move in enumerate(moves, 1):
        target, source = _slices(move.target), _slices(move.target, move.dx, move.dy)
        equal = _find_equal(pair, target, source) & (labels[target] == number)
        matched[target] |= equal
        taken = claims[source]
        repeated[target] |= equal & (taken != 0)
        taken[equal & (taken == 0)] = number
    return matched, repeated, claims


def _slices(box: Box, dx: int = 0, dy: int = 0) -> tuple[slice, slice]:
    return (
        slice(box.y - dy, box.y - dy + box.height),
        slice(box.x - dx, box.x - dx + box.width),
    )


def _find_equal(pair: Compared, target: tuple[slice, slice], source: tuple[slice, slice]) -> Flags:
    index = _number(pair)[target]
    return _are_alike(_pack(pair.before[source]), _pack(pair.after[target]), index, pair.threshold)


def _number(pair):
    return np.arange(pair.mask.size).reshape(pair.mask.shape)


def _look_alike(colors: Colors, others: Colors, pair: Compared) -> Flags:
    return _are_alike(colors, others, _number(pair), pair.threshold)


def _are_alike(colors: Colors, others: Colors, index, threshold: float) -> Flags:
    """Return where the distance of colors is within the threshold."""
    alike = colors == others
    unequal = ~alike
    limit = MAX_SQUARED * threshold * threshold
    one, two = (each[unequal].view(np.uint8).reshape(-1, 4) for each in (colors, others))
    alike[unequal] = squared_distance(one, two, index[unequal]) <= limit
    return alike


def _find_backgrounds(before: Colors, pair: Compared, moves: list[Move]) -> tuple[Colors, Flags]:
    """Return for each number of a move the color of its background, and whether there is one."""
    colors, known = np.zeros(len(moves) + 1, np.uint32), np.zeros(len(moves) + 1, np.bool_)
    for number, move in enumerate(moves, 1):
        target, source = _slices(move.target), _slices(move.target, move.dx, move.dy)
        covered = _flag(pair.mask.shape, pair.before.shape)[target]
        # What the content came over, without what it left.
        left, top = max(0, -move.dx), max(0, -move.dy)
        covered[
            top : max(0, move.target.height - max(0, move.dy)),
            left : max(0, move.target.width - max(0, move.dx)),
        ] = False
        chosen = before[target][covered] if covered.any() else before[source].ravel()
        values, counts = np.unique(chosen, return_counts=True)
        at = int(counts.argmax())
        colors[number], known[number] = values[at], 2 * counts[at] > chosen.size
    return colors, known


def _continue_edges(
    before: Colors, after: Colors, pair: Compared, moves: list[Move]
) -> tuple[Flags, Flags]:
    """Return the pixels of one image alone that continue the edge of the other.

    That is how a page grows or shrinks with its content, so it takes a move to or from there.
    """
    grown = _continue_edge(after, before, pair.before.shape, pair, moves, 1)
    shrunk = _continue_edge(before, after, pair.after.shape, pair, moves, -1)
    return grown, shrunk


def _continue_edge(
    larger: Colors,
    smaller: Colors,
    shape: tuple[int, ...],
    pair: Compared,
    moves: list[Move],
    sign: int,
) -> Flags:
    height, width = shape[:2]
    edges = smaller.copy()
    found = np.zeros(larger.shape, np.bool_)
    if any(sign * move.dy > 0 for move in moves):
        edges[height:, :width] = smaller[height - 1, :width]
        found[height:, :width] = True
    if any(sign * move.dx > 0 for move in moves):
        edges[:height, width:] = smaller[:height, width - 1 : width]
        found[:height, width:] = True
    return found & _look_alike(larger, edges, pair)


def _find_boxes(mask: Mask, pair: Compared) -> tuple[Box, ...]:
    """Return boxes of which none is partly in both images and partly in one."""
    marked = mask != 0 if pair.regions is None else (mask != 0) & ~pair.regions
    height, width = (min(pair.before.shape[at], pair.after.shape[at]) for at in (0, 1))
    boxes = list(find_changed_boxes(marked[:height, :width], SHARED_BOXES))
    right = find_changed_boxes(marked[:, width:], STRIP_BOXES)
    boxes += [Box(box.x + width, box.y, box.width, box.height) for box in right]
    below = find_changed_boxes(marked[height:, :width], STRIP_BOXES)
    boxes += [Box(box.x, box.y + height, box.width, box.height) for box in below]
    return tuple(sorted(boxes, key=lambda box: (box.y, box.x)))
