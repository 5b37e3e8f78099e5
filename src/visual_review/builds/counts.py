"""Count a build's screenshots in the database, for the pure rules and the build's row."""

from collections import Counter

from django.db.models import Count

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.states import ReviewCounts, review_counts


def count_screenshots(build: Build) -> ReviewCounts:
    """Return the build's current counts, without screenshots taken for detection only."""
    return review_counts(count_by_state_and_decision(build))


def count_by_state_and_decision(build: Build) -> Counter[tuple[str, str]]:
    """Return the number of screenshots by diff state and decision (empty for none)."""
    # Counted in the database, so that thousands of rows are not loaded for a few numbers.
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    pairs = rows.values_list("diff_state", "review_decision").annotate(Count("pk"))
    return Counter({(state, decision): count for state, decision, count in pairs})


def store_counts(build: Build, counts: ReviewCounts) -> None:
    """Set the counts on the row; the caller saves it."""
    build.changed_count = counts.changed
    build.new_count = counts.new
    build.removed_count = counts.removed
    build.failed_count = counts.failed
    build.unchanged_count = counts.unchanged
