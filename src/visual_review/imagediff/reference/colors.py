"""Colors as integers, and the perceived difference of two, exactly as in pixelmatch 7.2.

Source: Y. Kotsarenko, F. Ramos, "Measuring perceived color difference using YIQ NTSC transmission
color space in mobile applications" (2010). Sums are written in pixelmatch's order, because
floating point rounds differently in any other order.
"""

from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

# The largest possible squared distance, between black and white.
MAX_SQUARED: Final = 35215

OPAQUE: Final = 255
GOLDEN: Final = 1.618033988749895
GOLDEN_SQUARED: Final = 2.618033988749895
Colors = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Value = TypeVar("Value", np.uint32, np.uint64)


def channel_differences(first: Bytes, second: Bytes, index: Ints) -> tuple[Floats, Floats, Floats]:
    """Return red, green and blue of ``first`` minus ``second``, both of shape (..., 4).

    Where either pixel is transparent, both are blended with a background depending on ``index``,
    the index of the pixel in the image (y * width + x), in a broadcastable shape.
    """
    plain = [np.subtract(first[..., c], second[..., c], dtype=np.float64) for c in range(3)]
    transparent = (first[..., 3] < OPAQUE) | (second[..., 3] < OPAQUE)
    if not transparent.any():
        return plain[0], plain[1], plain[2]
    one, two = first.astype(np.int32), second.astype(np.int32)
    alpha_difference = one[..., 3] - two[..., 3]
    blended = one[..., :3] * one[..., 3:] - two[..., :3] * two[..., 3:]
    # pixelmatch counts bytes, four a pixel; the red background of an even offset is always 48.
    offset = index * 4
    backgrounds = (48, _background(offset, GOLDEN), _background(offset, GOLDEN_SQUARED))
    red, green, blue = (
        np.where(transparent, (blended[..., c] - backgrounds[c] * alpha_difference) / 255, plain[c])
        for c in range(3)
    )
    return red, green, blue


def brightness(red: Floats, green: Floats, blue: Floats) -> Floats:
    """Return the Y of a YIQ difference."""
    return red * 0.29889531 + green * 0.58662247 + blue * 0.11448223


def squared_distance(first: Bytes, second: Bytes, index: Ints) -> Floats:
    """Return the squared YIQ distance of pixels; arguments as for ``channel_differences``."""
    red, green, blue = channel_differences(first, second, index)
    y = brightness(red, green, blue)
    i = red * 0.59597799 - green * 0.27417610 - blue * 0.32180189
    q = red * 0.21147017 - green * 0.52261711 + blue * 0.31114694
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q


def _background(offset: Ints, divisor: float) -> Ints:
    return 48 + 159 * ((offset / divisor).astype(np.int64) % 2)


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
