"""Rectangles of an image that its story ignores, in pixels; what both images of a pair ignore."""

from collections.abc import Iterable
from typing import Final, NamedTuple

# As many as the CI interface takes for one screenshot.
MOST_REGIONS: Final = 100


class Rectangle(NamedTuple):
    x: int
    y: int
    width: int
    height: int

    def intersection(self, other: "Rectangle") -> "Rectangle | None":
        """Return the part that both cover; None if they are apart."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        width = min(self.x + self.width, other.x + other.width) - left
        height = min(self.y + self.height, other.y + other.height) - top
        return Rectangle(left, top, width, height) if width > 0 and height > 0 else None

    @property
    def area(self) -> int:
        return self.width * self.height


Rectangles = tuple[Rectangle, ...]


def find_ignored(before: Rectangles, after: Rectangles) -> Rectangles:
    """Return what the story ignores in both images.

    What only one of them ignores is compared: an ignored element that grew, shrank or moved is a
    change, and no new image hides a difference that no baseline has agreed to.
    """
    found = {both for one in before for other in after if (both := one.intersection(other))}
    # Of too many, the smallest are compared: that shows more, never less.
    largest = sorted(found, key=lambda each: (-each.area, each))[:MOST_REGIONS]
    return tuple(sorted(largest))


def as_fractions(rectangles: Iterable[Rectangle], size: tuple[int, int]) -> list[dict[str, float]]:
    """Return rectangles as fractions of an area, which is how dynamic regions are stored."""
    width, height = size
    return [
        {
            "x": each.x / width,
            "y": each.y / height,
            "width": each.width / width,
            "height": each.height / height,
        }
        for each in rectangles
    ]
