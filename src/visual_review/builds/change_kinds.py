"""The kinds of changes, for packages that compare no images themselves."""

from visual_review.imagediff.changes.model import CHANGE_KINDS, ChangeKind

__all__ = ["CHANGE_KINDS", "ChangeKind"]
