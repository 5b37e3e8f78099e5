"""Write a measurement in one transaction: states, carried-over approvals, first review state."""

from typing import Any, Final

from django.db import connection, transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.audit_targets import build_target
from visual_review.builds.bulk_update import BATCH_SIZE, update_rows
from visual_review.builds.comparing.change_groups import store_groups, store_groups_of_states
from visual_review.builds.comparing.measure import Measurement, comparison_basis
from visual_review.builds.job_queue import enqueue_processing, enqueue_thumbnails
from visual_review.builds.locks import lock_build
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.notifying.events import publish_completed
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.notifying.owners import enqueue_owners
from visual_review.builds.queries import count_screenshots, store_counts
from visual_review.builds.reviewing.carry_over import (
    CARRIED_FIELDS,
    carry_over_approvals,
    log_carried_over,
    start_review,
)
from visual_review.builds.states import (
    COMPLETED,
    FAILED,
    NOT_REQUIRED,
    PROCESSING,
    TO_REVIEW,
    UNREVIEWED,
    review_after_recomparison,
)
from visual_review.kernel.clock import now

# In the order of a review: clients that compare on their own machines number in the same way. The
# caller holds the build's lock.
_GIVE: Final = """
UPDATE builds_screenshot AS shot SET number = %(last)s + numbered.position
FROM (
    SELECT shot.id, row_number() OVER (
        ORDER BY shot.not_from_branch <> '', array_position(%(states)s::text[], shot.diff_state::text),
            change_group.position NULLS LAST, comparison.severity DESC NULLS LAST,
            shot.story_id COLLATE "C", shot.theme, shot.device
    ) AS position
    FROM builds_screenshot AS shot
    LEFT JOIN builds_changegroup AS change_group ON change_group.id = shot.group_id
    LEFT JOIN builds_comparison AS comparison ON comparison.id = shot.comparison_id
    WHERE shot.build_id = %(build)s AND shot.number IS NULL AND NOT shot.detection_only
        AND shot.diff_state = ANY(%(states)s)
) AS numbered
WHERE numbered.id = shot.id
"""


def give_numbers(build: Build) -> None:
    """Number the unnumbered screenshots of the locked build that differ or failed.

    Other screenshots keep their numbers, even without a difference now. The caller saves
    ``build.last_number``.
    """
    values: dict[str, Any] = {
        "build": build.pk,
        "last": build.last_number,
        "states": list(TO_REVIEW),
    }
    with connection.cursor() as cursor:
        cursor.execute(_GIVE, values)
        build.last_number += cursor.rowcount


RECOMPARED_FIELDS = (
    "diff_state",
    "diff_ratio",
    "baseline_image",
    "comparison",
    "message",
    "only_in_regions",
    "not_from_branch",
    "group",
)
MEASURED_FIELDS = (*RECOMPARED_FIELDS, *CARRIED_FIELDS)


@transaction.atomic
def complete_build(build_id: str, measurement: Measurement) -> None:
    """Complete the processing of a build; do nothing if the build is not processing any more.

    If the build's baseline changed since the measurement, nothing is written and the build is
    measured again.
    """
    baseline, build = lock_build(build_id)
    if build.status != PROCESSING:
        return
    if measurement.basis != comparison_basis(build):
        # The change may have enqueued no job, because this job was still waiting.
        enqueue_processing(build.id, build.repository.organization_id)
        return
    carried = carry_over_approvals(build, [*measurement.measured, *measurement.added])
    store_groups(build, measurement.measured, measurement.groups)
    # PostgreSQL stores the rows anew in this order, the order of reading a build.
    measured = sorted(measurement.measured, key=lambda row: (row.story_id, row.theme, row.device))
    update_rows(measured, MEASURED_FIELDS)
    Screenshot.objects.bulk_create(measurement.added, batch_size=BATCH_SIZE)
    store_groups_of_states(build, len(measurement.groups))
    give_numbers(build)
    log_carried_over(build, carried)
    counts = count_screenshots(build)
    store_counts(build, counts)
    build.inherited_count = sum(row.inherited for row in measurement.added)
    build.status = COMPLETED
    build.completed_at = now()
    build.revision += 1
    build.save()
    start_review(build, baseline, counts)
    publish_completed(build)
    enqueue_owners(build)
    notify_hosts(build)
    enqueue_thumbnails(build.id, build.repository.organization_id)


@transaction.atomic
def complete_recomparison(build_id: str, measurement: Measurement) -> None:
    """Write a re-comparison, unless the build was decided or processed since; rule 8."""
    _, build = lock_build(build_id)
    if not can_be_recompared(build) or measurement.basis != comparison_basis(build):
        return
    before = build.review_state
    store_groups(build, measurement.measured, measurement.groups)
    update_rows(measurement.measured, RECOMPARED_FIELDS)
    store_groups_of_states(build, len(measurement.groups))
    give_numbers(build)
    counts = count_screenshots(build)
    store_counts(build, counts)
    build.review_state = review_after_recomparison(before, counts)
    build.revision += 1
    build.save()
    if build.review_state != before:
        _record(build, "build.review_state_changed", before=before, after=build.review_state)
    notify_hosts(build)
    enqueue_thumbnails(build.id, build.repository.organization_id)


def can_be_recompared(build: Build) -> bool:
    return build.status == COMPLETED and build.review_state in {UNREVIEWED, NOT_REQUIRED}


@transaction.atomic
def fail_build(build_id: str, reason: str) -> None:
    """Mark a build as failed, with a reason for people."""
    build = Build.objects.select_for_update().get(pk=build_id)
    if build.status != PROCESSING:
        return
    build.status = FAILED
    build.failure = reason
    build.completed_at = now()
    build.save()
    _record(build, "build.failed", before=PROCESSING, after=FAILED)
    notify_hosts(build)


def _record(build: Build, verb: str, before: str, after: str) -> None:
    record(
        build.repository.organization_id,
        SYSTEM,
        Change(
            verb,
            build_target(build),
            before={"state": before},
            after={"state": after},
        ),
    )
