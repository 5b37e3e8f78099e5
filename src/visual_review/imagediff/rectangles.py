"""Sizes in pixels: the union of two images, and the regions in the union."""

from typing import Final, NamedTuple

from visual_review.imagediff.errors import ImageTooLargeError
from visual_review.imagediff.model import Limits, Region

# The compared area may be so many times as large as the largest image.
AREA_FACTOR: Final = 2

Size = tuple[int, int]


class Rectangle(NamedTuple):
    """Columns from ``left`` to before ``right``, rows from ``top`` to before ``bottom``."""

    left: int
    top: int
    right: int
    bottom: int


def unite(before: Size, after: Size) -> Size:
    """Return width and height of the area around both images."""
    return max(before[0], after[0]), max(before[1], after[1])


def check_area(before: Size, after: Size, limits: Limits) -> None:
    """Raise ImageTooLargeError for images whose union is too large; sizes are width and height."""
    # A wide image and a tall one cover an area far larger than both.
    width, height = unite(before, after)
    if height * width > AREA_FACTOR * limits.pixels:
        raise ImageTooLargeError(
            f"the images are {before[0]} x {before[1]} and {after[0]} x "
            f"{after[1]}, which together cover {height * width:,} pixels; at most "
            f"{AREA_FACTOR * limits.pixels:,} are compared"
        )


def find_rectangle(region: Region, size: Size) -> Rectangle:
    """Return all pixels touched by a region of an area, clipped at the edges."""
    left, right = _to_pixels(region.x, region.width, size[0])
    top, bottom = _to_pixels(region.y, region.height, size[1])
    return Rectangle(left, top, right, bottom)


def _to_pixels(start: float, length: float, size: int) -> tuple[int, int]:
    # Rounding first keeps 0.1 + 0.2 of ten pixels from touching a fourth one.
    first = round(start * size, 6)
    last = min(round((start + length) * size, 6), size)
    if length == 0:
        return 0, 0
    return int(first), int(-(-last // 1))
