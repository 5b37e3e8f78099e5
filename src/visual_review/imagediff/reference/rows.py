"""Find whole rows that were inserted into an image or removed from it."""

import numpy as np

from visual_review.imagediff.model import RowShift
from visual_review.imagediff.reference.colors import Bytes


def find_row_shift(before: Bytes, after: Bytes) -> RowShift | None:
    """Return the one block of rows that is the only difference, or None.

    Both images must have the same width; all other rows must be equal pixel for pixel.
    """
    if before.shape[1] != after.shape[1] or len(before) == len(after):
        return None
    inserted = len(after) > len(before)
    shorter, taller = (before, after) if inserted else (after, before)
    count = len(taller) - len(shorter)
    # Counting greedily from the top suffices: repeated rows around the block only shift it.
    head = _count_equal_rows(shorter, taller)
    tail = _count_equal_rows(shorter[head:][::-1], taller[head + count :][::-1])
    if head + tail < len(shorter):
        return None
    return RowShift(head, count, inserted)


def _count_equal_rows(one: Bytes, two: Bytes) -> int:
    """Count the rows from the top in which both are equal."""
    # In steps, so that a difference near the top ends the search there.
    step = 256
    for top in range(0, min(len(one), len(two)), step):
        part, other = one[top : top + step], two[top : top + step]
        size = min(len(part), len(other))
        unequal = (part[:size] != other[:size]).any(axis=(1, 2))
        if unequal.any():
            return top + int(np.argmax(unequal))
    return min(len(one), len(two))
