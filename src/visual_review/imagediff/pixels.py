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
