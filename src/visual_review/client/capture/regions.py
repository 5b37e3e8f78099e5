"""The regions of an image that its story ignores, read from JSON that is not trusted."""

from collections.abc import Sequence
from typing import Any, Final

from visual_review.client.capture.results import Region

# As many as the CI interface takes for one screenshot.
MOST_REGIONS: Final = 100
LONGEST_SIDE: Final = 1_000_000


def parse_regions(value: object, where: str) -> tuple[Region, ...]:
    """Return the regions. Raises ValueError that names the place if they are not some."""
    if not isinstance(value, list) or len(value) > MOST_REGIONS:
        raise ValueError(f"{where}.regions is not a list of at most {MOST_REGIONS}")
    return tuple(_parse(each, f"{where}.regions[{number}]") for number, each in enumerate(value))


def clip_regions(regions: Sequence[Region], width: int, height: int) -> tuple[Region, ...]:
    """Return the parts inside an image of this size, without duplicates and empty ones."""
    inside: dict[Region, None] = {}
    for region in regions:
        right, bottom = min(region.x + region.width, width), min(region.y + region.height, height)
        left, top = max(region.x, 0), max(region.y, 0)
        if left < right and top < bottom:
            inside[Region(left, top, right - left, bottom - top)] = None
    return tuple(inside)[:MOST_REGIONS]


def _parse(value: object, where: str) -> Region:
    body: dict[str, Any] = value if isinstance(value, dict) else {}
    numbers = [body.get(name) for name in ("x", "y", "width", "height")]
    # A bool is an integer, too.
    sides = [each for each in numbers if type(each) is int and 0 <= each <= LONGEST_SIDE]
    if len(sides) < len(numbers):
        raise ValueError(f"{where} is not a rectangle of whole pixels")
    return Region(*sides)
