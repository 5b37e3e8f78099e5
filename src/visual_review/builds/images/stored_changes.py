"""What is stored about a difference, as the renderers take it."""

from typing import Any

from visual_review.builds.models import Comparison
from visual_review.imagediff import Box
from visual_review.imagediff.changes.as_json import change_from_json
from visual_review.imagediff.changes.model import Change


def boxes_of(comparison: Comparison | None) -> list[Box]:
    """Return the boxes around the different pixels."""
    return [] if comparison is None else [Box(**box) for box in comparison.boxes]


def changes_of(comparison: Comparison | None) -> list[Change]:
    """Return what changed; nothing for a comparison of an earlier version."""
    return [change_from_json(each) for each in _column(comparison, "changes") or ()]


def summary_of(comparison: Comparison | None) -> str:
    """Return the sentence that says what changed."""
    return _column(comparison, "summary") or ""


def _column(comparison: Comparison | None, name: str) -> Any:  # noqa: ANN401 - The column's type.
    return None if comparison is None else vars(comparison).get(name)
