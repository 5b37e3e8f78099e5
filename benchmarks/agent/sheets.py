"""Finds the number tags in sheets, to compare an image with the text about the image; pure."""

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

Flags = npt.NDArray[np.bool_]
# The dark label behind a number: its color, and the smallest size for one digit.
TAG: Final = (26, 31, 39)
NEAR: Final = 10
LEAST: Final = (12, 12)


def count_number_tags(image: Image.Image) -> int:
    """Return how many labels of numbers the sheet has."""
    pixels = np.asarray(image.convert("RGB"))
    # A large sheet may be a JPEG with inexact colors.
    distance = np.abs(pixels.astype(np.int16) - np.array(TAG)).max(axis=2)
    flags: Flags = np.asarray(distance <= NEAR)
    width, height = LEAST
    # A tag has at the left an edge of its own color, without any letter: a block of 3 x 12.
    windows = np.lib.stride_tricks.sliding_window_view(flags, (height, 3))
    block: Flags = np.asarray(windows.all(axis=(2, 3)))
    # Only the upper left corner counts, where nothing above or to the left has the color.
    corner = block.copy()
    corner[1:] &= ~block[:-1]
    corner[:, 1:] &= ~block[:, :-1]
    taken: list[tuple[int, int]] = []
    for y, x in np.argwhere(corner).tolist():
        if all(abs(y - top) > height or abs(x - left) > width for top, left in taken):
            taken.append((y, x))
    return len(taken)
