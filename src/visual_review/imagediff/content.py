"""What a picture shows apart from the empty space around it."""

import numpy as np

from visual_review.imagediff.decoder import decode
from visual_review.imagediff.model import DEFAULT_LIMITS, Limits


def same_content(first: bytes, second: bytes, limits: Limits = DEFAULT_LIMITS) -> bool:
    """Whether two PNG files show the same once the empty space around is cut off.

    Empty is what has the colour of the top left pixel. So a component that only stands on a
    wider page is the same, one that is laid out anew is not. Raises ImageError.
    """
    return np.array_equal(_content(decode(first, limits)), _content(decode(second, limits)))


def _content(pixels: np.ndarray) -> np.ndarray:
    filled = (pixels != pixels[0, 0]).any(axis=2)
    rows = np.flatnonzero(filled.any(axis=1))
    columns = np.flatnonzero(filled.any(axis=0))
    # An empty picture shows nothing at any width, hence equals any other empty one.
    if not rows.size:
        return pixels[:0, :0]
    return pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
