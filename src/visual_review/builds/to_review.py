"""The screenshots of a build that need a review, for callers that show only a few."""

from django.db.models import Case, F, QuerySet, Value, When

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import DIFF_STATE_RANK, TO_REVIEW

LARGE_FIELDS = ("comparison__boxes", "comparison__changes", "comparison__signature")


def screenshots_to_review(build: Build, limit: int) -> list[Screenshot]:
    """Return at most ``limit`` changed, new, removed or failed screenshots, in the order of states.

    Changed ones come by group and severity, and have their comparison loaded.
    """
    return list(rows_to_review(build).select_related("comparison").defer(*LARGE_FIELDS)[:limit])


def rows_to_review(build: Build) -> QuerySet[Screenshot]:
    """Return all changed, new, removed and failed screenshots, in the order of states.

    Changes that the branch did not cause come last.
    """
    rank = Case(
        *(When(diff_state=state, then=Value(DIFF_STATE_RANK[state])) for state in TO_REVIEW)
    )
    rows = Screenshot.objects.filter(build=build, detection_only=False, diff_state__in=TO_REVIEW)
    return rows.order_by(
        Case(When(not_from_branch="", then=Value(0)), default=Value(1)),
        rank,
        F("group__position").asc(nulls_last=True),
        F("comparison__severity").desc(nulls_last=True),
        "story_id",
        "theme",
        "device",
    )
