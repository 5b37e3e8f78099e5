"""Colors as integers, and how often each occurs."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.reference.colors import Bytes

Colors = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Value = TypeVar("Value", np.uint32, np.uint64)


def pack(pixels: Bytes) -> Colors:
    """Return RGBA pixels as integers with red in the lowest byte."""
    packed: Colors = np.ascontiguousarray(pixels).view("<u4")[..., 0]
    return packed


def unpack(colors: Colors) -> Numbers:
    """Return the four channels of each color along a new last axis."""
    return np.stack([colors >> shift & 255 for shift in (0, 8, 16, 24)], -1).astype(np.int64)


def largest_distance(colors: Colors, other: int | Colors) -> Numbers:
    """Return the largest difference of a channel."""
    found: Numbers = _differences(colors, other).max(axis=-1, initial=0)
    return found


def distance(colors: Colors, other: int) -> Numbers:
    """Return the sum of the differences of all channels."""
    found: Numbers = _differences(colors, other).sum(axis=-1)
    return found


def count_colors(colors: npt.NDArray[Value]) -> tuple[npt.NDArray[Value], Numbers]:
    """Return the distinct values in ascending order, and how often each occurs."""
    values, counts = np.unique(colors, return_counts=True)
    return values, counts.astype(np.int64)


def most_common(values: npt.NDArray[Value], counts: Numbers) -> tuple[int, int]:
    """Return the first of the most frequent values and its count, zeros without any."""
    if not values.size:
        return 0, 0
    at = int(counts.argmax())
    return int(values[at]), int(counts[at])


def _differences(colors: Colors, other: int | Colors) -> Numbers:
    against = np.array([other], np.uint32) if isinstance(other, int) else other
    found: Numbers = np.abs(unpack(colors) - unpack(against))
    return found
