"""Counting a build's screenshots in the database, for the pure rules and the build's row."""

from collections import Counter

from django.db.models import Count, Q

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import APPROVED, BLOCKING, ReviewCounts

STATES = ("changed", "new", "removed", "failed", "unchanged", "pending")


def counts_of_build(build: Build) -> ReviewCounts:
    """The build's counts as they stand now, screenshots taken for detection left out."""
    removed = Q(diff_state="removed")
    counts = {state: Count("pk", filter=Q(diff_state=state)) for state in STATES}
    # The database counts: thousands of rows need not travel for a few numbers.
    return ReviewCounts(
        **Screenshot.objects.filter(build=build, detection_only=False).aggregate(
            **counts,
            open=Count("pk", filter=Q(diff_state__in=BLOCKING) & ~Q(review_decision=APPROVED)),
            removed_approved=Count("pk", filter=removed & Q(review_decision=APPROVED)),
        )
    )


def marks_of(build: Build) -> Counter[tuple[str, str]]:
    """How many screenshots have each diff state and decision, which is empty for none."""
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    pairs = rows.values_list("diff_state", "review_decision").annotate(Count("pk"))
    return Counter({(state, decision): count for state, decision, count in pairs})


def store_counts(build: Build, counts: ReviewCounts) -> None:
    """Put the counts on the row; the caller saves it."""
    build.changed_count = counts.changed
    build.new_count = counts.new
    build.removed_count = counts.removed
    build.failed_count = counts.failed
    build.unchanged_count = counts.unchanged
