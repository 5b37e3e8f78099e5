"""What a decision needs to know about a locked build, in one statement."""

from dataclasses import dataclass
from typing import Final

from django.db import connection

from visual_review.builds.models import Baseline, Build
from visual_review.builds.states import ReviewCounts, review_counts

# The first row exists even if the build has no screenshot, or the baseline no version.
_FACTS: Final = """
SELECT version.build_id, creator.number, shots.diff_state, shots.review_decision, shots.count
FROM (VALUES (1)) AS always
LEFT JOIN builds_baselinemove AS version ON version.baseline_id = %s AND version.sequence = %s
LEFT JOIN builds_build AS creator ON creator.id = version.build_id
LEFT JOIN (
    SELECT diff_state, review_decision, count(*) FROM builds_screenshot
    WHERE build_id = %s AND NOT detection_only
    GROUP BY diff_state, review_decision
) AS shots ON true
"""


@dataclass(frozen=True)
class BuildFacts:
    """``sets_baseline``: it created the current version of its branch's baseline.

    ``replaced_number`` is the number of the build that did, None if none or a restore did.
    """

    counts: ReviewCounts
    sets_baseline: bool
    replaced_number: int | None


def read_facts(build: Build, baseline: Baseline) -> BuildFacts:
    """Read the facts about the build and its own baseline; both rows must be locked."""
    with connection.cursor() as cursor:
        cursor.execute(_FACTS, [baseline.pk, baseline.last_move, build.pk])
        rows = cursor.fetchall()
    creator, number = rows[0][:2]
    counted = {(state, decision): count for *_, state, decision, count in rows if state}
    return BuildFacts(review_counts(counted), creator == build.pk, number)
