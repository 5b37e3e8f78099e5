"""The decisions of the review log that still stand: an undo marks the undone entries."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet

from visual_review.builds.models import ReviewEntry
from visual_review.builds.states import CLEARED, UNDONE


class LoggedComment(NamedTuple):
    """A decision on a screenshot and its comment."""

    decision: str
    comment: str


def effective_entries() -> QuerySet[ReviewEntry]:
    """Return the decisions of the log without undone ones."""
    return ReviewEntry.objects.filter(undone_by=None).exclude(decision=UNDONE)


def stands(rejection: LoggedComment, decisions: Iterable[LoggedComment]) -> bool:
    """Return whether the last of the same rejections of a screenshot was not cleared.

    ``decisions`` are the decisions on the screenshot without undone ones, oldest first. A rejection
    with another comment does not withdraw the first rejection.
    """
    found = False
    previous = None
    for each in decisions:
        if each == rejection:
            found = True
        elif each.decision == CLEARED and previous == rejection:
            found = False
        previous = each
    return found
