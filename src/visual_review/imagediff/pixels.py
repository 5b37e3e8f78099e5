"""Decoded images as arrays."""

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits

Pixels = npt.NDArray[np.uint8]


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Pixels:
    """Return the image as uint8 RGBA of shape (height, width, 4).

    Reads the whole file; raises ImageError if anything in it is damaged or exceeds the limits.
    """
    decoded = engine().decode(data, limits)
    flat: Pixels = np.frombuffer(decoded.pixels, np.uint8)
    return flat.reshape(decoded.height, decoded.width, 4)


def has_same_content(first: bytes, second: bytes, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether two PNG files show the same once the empty space around it is cropped.

    Empty means the color of the top left pixel. A component that is merely on a wider page is
    the same, one that is laid out differently is not. Raises ImageError.
    """
    return np.array_equal(
        _crop_to_content(decode(first, limits)), _crop_to_content(decode(second, limits))
    )


def _crop_to_content(pixels: np.ndarray) -> np.ndarray:
    filled = (pixels != pixels[0, 0]).any(axis=2)
    rows = np.flatnonzero(filled.any(axis=1))
    columns = np.flatnonzero(filled.any(axis=0))
    # An empty image shows nothing at any width, so it equals any other empty one.
    if not rows.size:
        return pixels[:0, :0]
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
