"""Which decisions of the review log still stand: an undo marks what it takes back."""

from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import QuerySet

from visual_review.builds.models import ReviewEntry
from visual_review.builds.states import CLEARED, UNDONE


class LoggedComment(NamedTuple):
    """A decision on a screenshot and what it says."""

    decision: str
    comment: str


def effective_entries() -> QuerySet[ReviewEntry]:
    """Return the decisions of the log that were not undone."""
    return ReviewEntry.objects.filter(undone_by=None).exclude(decision=UNDONE)


def stands(rejection: LoggedComment, decisions: Iterable[LoggedComment]) -> bool:
    """Return whether the last of the same rejections of a screenshot was not cleared.

    ``decisions`` are those on the screenshot that were not undone, oldest first. One that says
    something else does not withdraw the rejection.
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
