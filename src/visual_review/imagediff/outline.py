"""The shapes of one image without its colors."""

from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.model import Box

# More connected pieces of a mask, or elements or edges of an image, are not returned.
MOST_PIECES: Final = 1_000
MOST_SHAPES: Final = 1_000


@dataclass(frozen=True, slots=True)
class Element:
    """Fine strokes that are connected, such as a word or an icon.

    ``paper`` is the most common lightness in ``box``, ``contrast`` the largest distance from it and
    ``ink`` the sum of all distances. ``hue`` sums how much redder than blue its pixels are, compared
    with most of them.
    """

    box: Box
    paper: int
    contrast: int
    ink: int
    hue: int


@dataclass(frozen=True, slots=True)
class Outline:
    """Elements from top to bottom, and long straight edges of cards, lines and images.

    A vertical edge has a width of 0, a horizontal one a height of 0.
    """

    elements: tuple[Element, ...]
    edges: tuple[Box, ...]
