"""Rectangles of an image ignored by its story, in pixels, and the intersection for a pair."""

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
        """Return the part covered by both; None if apart."""
        left, top = max(self.x, other.x), max(self.y, other.y)
        width = min(self.x + self.width, other.x + other.width) - left
        height = min(self.y + self.height, other.y + other.height) - top
        return Rectangle(left, top, width, height) if width > 0 and height > 0 else None

    @property
    def area(self) -> int:
        return self.width * self.height


Rectangles = tuple[Rectangle, ...]


def find_ignored(before: Rectangles, after: Rectangles) -> Rectangles:
    """Return the rectangles ignored by the story in both images.

    A rectangle ignored in only one image is compared: an ignored element that grew, shrank or moved
    is a change, and no new image may hide a difference without the consent of its baseline.
    """
    found = {both for one in before for other in after if (both := one.intersection(other))}
    # Of too many rectangles, the smallest are compared: a comparison shows more, never less.
    largest = sorted(found, key=lambda each: (-each.area, each))[:MOST_REGIONS]
    return tuple(sorted(largest))


def as_fractions(rectangles: Iterable[Rectangle], size: tuple[int, int]) -> list[dict[str, float]]:
    """Return rectangles as fractions of an area, in the stored form of dynamic regions."""
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
