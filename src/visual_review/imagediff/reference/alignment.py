"""Align two images between which content moved."""

from typing import Final

import numpy as np

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Move
from visual_review.imagediff.reference.accounting import Compared, account
from visual_review.imagediff.reference.boxes import find_changed_boxes
from visual_review.imagediff.reference.masks import DIFFERENT, Flags, Mask
from visual_review.imagediff.reference.moves import find_moves

# Of the shared part, and of each strip that only one image has: 50 together.
SHARED_BOXES: Final = 40
STRIP_BOXES: Final = 5


def align(pair: Compared) -> Alignment:
    """Find content that moved, and what differs besides."""
    plain = (pair.mask == DIFFERENT).astype(np.uint8)
    moves, mask = _find_moves(pair)
    # What is not explained by less is not explained at all.
    if not moves or _count(mask, pair.regions) > _count(plain, pair.regions):
        moves, mask = [], plain
    return Alignment(
        moves=tuple(moves),
        mask=mask.data.cast("B"),
        pixels=_count(mask, pair.regions),
        boxes=_find_boxes(mask, pair),
    )


def _find_moves(pair: Compared) -> tuple[list[Move], Mask]:
    """Return moves, and what is new or lost."""
    if not pair.mask.any():
        return [], pair.mask
    moves, labels = find_moves(pair.before, pair.after, pair.mask)
    account(pair, moves, labels)
    return moves, labels


def _count(mask: Mask, regions: Flags | None) -> int:
    marked = mask != 0
    return int(np.count_nonzero(marked if regions is None else marked & ~regions))


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
