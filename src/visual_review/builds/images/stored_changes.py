"""The stored facts about a difference, in the form for renderers."""

from visual_review.builds.models import Comparison
from visual_review.imagediff import Box
from visual_review.imagediff.changes.model import Change, change_from_json


def boxes_of(comparison: Comparison | None) -> list[Box]:
    """Return the boxes around the different pixels."""
    return [] if comparison is None else [Box(**box) for box in comparison.boxes]


def changes_of(comparison: Comparison | None) -> list[Change]:
    """Return the changes, the worst first; nothing for a comparison of an earlier version."""
    return [] if comparison is None else [change_from_json(each) for each in comparison.changes]
