"""Areas that differ by no more than the threshold, yet belong together."""

from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.model import Box

# A change of at least this area matters, or of at least this share of a small image.
LARGE_PIXELS: Final = 24 * 24
LARGE_SHARE: Final = 0.0005


@dataclass(frozen=True, slots=True)
class FaintAreas:
    """``pixels`` of them differ, all within at most 50 ``boxes``.

    ``is_large`` if a box is larger than 24 x 24 pixels, or than 0.05 % of the image.
    """

    pixels: int
    boxes: tuple[Box, ...]
    is_large: bool


NO_FAINT_AREAS: Final = FaintAreas(0, (), is_large=False)


def describe_areas(pixels: int, boxes: tuple[Box, ...], size: tuple[int, int]) -> FaintAreas:
    """Return the areas found in an image of this size."""
    least = min(LARGE_PIXELS, LARGE_SHARE * size[0] * size[1])
    is_large = any(box.width * box.height > least for box in boxes)
    return FaintAreas(pixels, boxes, is_large)
