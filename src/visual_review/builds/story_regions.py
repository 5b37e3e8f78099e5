"""Rectangles of a screenshot ignored by its story, as a column of JSON; pure."""

import json
from collections.abc import Iterable, Mapping

from visual_review.imagediff.ignored_rectangles import (
    MOST_REGIONS,
    Rectangle,
    Rectangles,
    as_fractions,
    find_ignored,
)

__all__ = [
    "MOST_REGIONS",
    "Rectangle",
    "Rectangles",
    "as_fractions",
    "find_ignored",
    "to_json",
    "to_rectangles",
    "to_text",
]


def to_rectangles(stored: Iterable[Mapping[str, int]]) -> Rectangles:
    """Return rectangles as a column of JSON, in one order."""
    return tuple(sorted(Rectangle(**each) for each in stored))


def to_json(rectangles: Iterable[Rectangle]) -> list[dict[str, int]]:
    return [rectangle._asdict() for rectangle in sorted(rectangles)]


def to_text(rectangles: Iterable[Rectangle]) -> str:
    """Return the JSON for a handwritten statement."""
    return json.dumps(to_json(rectangles))
