"""Read the evidence of the decisions that stand now."""

from typing import Any, Final

from django.db import connection
from django.db.models import OuterRef, Subquery

from visual_review.builds.models import Build, ReviewEntry
from visual_review.builds.states import APPROVED

# Of decisions that have evidence.
API_SOURCES: Final = ("api_key", "mcp")
# Each screenshot's newest approval in the log, if it is the one that stands. All in one go:
# a build may have thousands.
_COUNT_UNSEEN: Final = """
SELECT count(*)
FROM (
    SELECT DISTINCT ON (screenshot_id) screenshot_id, evidence, decided_by_id, source
    FROM builds_reviewentry
    WHERE build_id = %(build)s AND decision = %(approved)s AND source = ANY(%(sources)s)
        AND screenshot_id IS NOT NULL
    ORDER BY screenshot_id, id DESC
) AS newest
JOIN builds_screenshot AS shot ON shot.id = newest.screenshot_id
WHERE shot.review_decision = %(approved)s AND shot.decided_by_id = newest.decided_by_id
    AND shot.decision_source = newest.source AND newest.evidence -> 'images' = '[]'::jsonb
"""


def current_evidence() -> Subquery:
    """Return the stored evidence of a screenshot's current decision, as an annotation."""
    # What was undone since is followed by an entry with another decision.
    same = ReviewEntry.objects.filter(
        screenshot=OuterRef("pk"),
        decision=OuterRef("review_decision"),
        decided_by_id=OuterRef("decided_by_id"),
        source=OuterRef("decision_source"),
    )
    return Subquery(same.order_by("-id").values("evidence")[:1])


def evidence_of_build(build: Build) -> dict[str, Any] | None:
    """Return the stored evidence of the decision that gave the build its review state."""
    entries = ReviewEntry.objects.filter(
        build=build,
        # A build may be decided by a decision on its last screenshot, too.
        decision=build.review_state,
        decided_by_id=build.decided_by_id,
        source=build.decision_source,
    )
    return entries.order_by("-id").values_list("evidence", flat=True).first()


def count_unseen(build: Build) -> int:
    """Return how many screenshots a program approved without having fetched an image of them."""
    unseen = ReviewEntry.objects.filter(build=build, decision=APPROVED, evidence__images=[])
    # Most builds have none, and their screenshots need not be read.
    if not unseen.exists():
        return 0
    parameters: dict[str, Any] = {
        "build": build.pk,
        "approved": APPROVED,
        "sources": list(API_SOURCES),
    }
    with connection.cursor() as cursor:
        cursor.execute(_COUNT_UNSEEN, parameters)
        return int(cursor.fetchone()[0])
