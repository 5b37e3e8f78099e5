"""Sketches: small descriptions of what an image shows in a rectangle, the same by every engine."""

from dataclasses import dataclass
from typing import Final

Color = tuple[int, int, int]
# The side of a square, in pixels.
CELL: Final = 8
MIDDLE: Final = 128


@dataclass(frozen=True, slots=True)
class Sketch:
    """One side of a changed area: its background, and what is on it.

    ``background`` is the most common color. ``x``, ``y``, ``width`` and ``height`` enclose the
    pixels of other colors. From the top left of that box on, ``lumas`` are the mean lightness of
    squares and ``hues`` how much redder than blue they are. ``ink`` is how much darker than the
    background each row is in sum, ``tint`` the sum of red, green and blue distances
    over all of it.
    """

    background: Color
    x: int
    y: int
    width: int
    height: int
    lumas: bytes
    hues: bytes
    ink: tuple[int, ...]
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
