"""The screenshots of a build that somebody should look at, for those who show a few of them."""

from django.db.models import Case, QuerySet, Value, When

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import ORDER

SHOWN_STATES = ("changed", "new", "removed", "failed")


def screenshots_to_review(build: Build, most: int) -> list[Screenshot]:
    """At most ``most`` screenshots that changed, are new, were removed or failed, in order."""
    return list(rows_to_review(build)[:most])


def rows_to_review(build: Build) -> QuerySet[Screenshot]:
    """All of them, in the same order."""
    rank = Case(*(When(diff_state=state, then=Value(ORDER[state])) for state in SHOWN_STATES))
    rows = Screenshot.objects.filter(build=build, detection_only=False, diff_state__in=SHOWN_STATES)
    return rows.order_by(rank, "story_id", "theme", "device")
