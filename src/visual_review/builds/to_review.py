"""The screenshots of a build that need a review, for callers that show only a few."""

from django.db.models import Case, QuerySet, Value, When

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import DIFF_STATE_RANK, TO_REVIEW


def screenshots_to_review(build: Build, limit: int) -> list[Screenshot]:
    """Return at most ``limit`` changed, new, removed or failed screenshots, in this order."""
    return list(rows_to_review(build)[:limit])


def rows_to_review(build: Build) -> QuerySet[Screenshot]:
    """Return all changed, new, removed and failed screenshots, in this order."""
    rank = Case(
        *(When(diff_state=state, then=Value(DIFF_STATE_RANK[state])) for state in TO_REVIEW)
    )
    rows = Screenshot.objects.filter(build=build, detection_only=False, diff_state__in=TO_REVIEW)
    return rows.order_by(rank, "story_id", "theme", "device")
