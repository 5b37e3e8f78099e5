"""The kinds of changes, for the packages that compare no images themselves."""

from visual_review.imagediff.changes.model import ChangeKind

__all__ = ["ChangeKind"]
