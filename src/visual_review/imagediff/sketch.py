"""Sketches: small descriptions of an image in a rectangle, the same by every engine."""

from dataclasses import dataclass
from typing import Final

Color = tuple[int, int, int]
# The side of a square, in pixels.
CELL: Final = 8
MIDDLE: Final = 128


@dataclass(frozen=True, slots=True)
class Sketch:
    """One side of a changed area: its background, and the content on the background."""

    # The most common color.
    background: Color
    # The box around the pixels of other colors.
    x: int
    y: int
    width: int
    height: int
    # The mean lightness of squares, from the top left of the box on.
    lumas: bytes
    # How much redder than blue the same squares are.
    hues: bytes
    # How much darker than the background each row is in sum.
    ink: tuple[int, ...]
    # The sum of red, green and blue distances from the background over the whole box.
    tint: Color


def weigh(red: int, green: int, blue: int) -> int:
    """Return the lightness of a color, 0 to 255."""
    return (77 * red + 150 * green + 29 * blue) >> 8


def find_hue(red: int, blue: int) -> int:
    """Return how much redder than blue a color is, from 1 to 255."""
    return MIDDLE + ((red - blue) >> 1)


def count_cells(length: int) -> int:
    """Return how many squares cover a length."""
    return -(-length // CELL)
