"""Decoded images as arrays."""

import numpy as np
import numpy.typing as npt

from visual_review.imagediff.engine import engine
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits


def decode(data: bytes, limits: Limits = DEFAULT_LIMITS) -> npt.NDArray[np.uint8]:
    """Return the image as uint8 RGBA of shape (height, width, 4). Raises ImageError."""
    decoded = engine().decode(data, limits)
    flat: npt.NDArray[np.uint8] = np.frombuffer(decoded.pixels, np.uint8)
    return flat.reshape(decoded.height, decoded.width, 4)
