"""Writing what was measured, in one transaction: states, carried approvals, the review's start."""

from collections.abc import Iterable

from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.builds.baselines import PairHistory, VariantKey, carries_over
from visual_review.builds.bulk import update_rows
from visual_review.builds.carrying import PairOf, histories
from visual_review.builds.entries import lock_build
from visual_review.builds.finalizing import (
    Decider,
    finalize,
    newest_approved_number,
    restored_since,
    write_review_state,
)
from visual_review.builds.measuring import Measurement
from visual_review.builds.models import Baseline, Build, ReviewEntry, Screenshot
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    COMPLETED,
    DIFFERENCES,
    FAILED,
    NOT_REQUIRED,
    PROCESSING,
    UNREVIEWED,
    Tally,
    is_rollback,
    review_after_comparison,
    review_after_recomparison,
)
from visual_review.builds.tallies import store_counts, tally_of
from visual_review.builds.targets import build_target
from visual_review.builds.telling import tell_hosts
from visual_review.kernel.clock import now

ROWS_AT_ONCE = 1000
RECOMPARED_FIELDS = (
    "diff_state",
    "diff_ratio",
    "baseline_image",
    "comparison",
    "message",
    "only_in_regions",
)
MEASURED_FIELDS = (
    *RECOMPARED_FIELDS,
    "matches_former_baseline",
    "review_decision",
    "decision_source",
    "decided_by_id",
    "decided_by_name",
    "decided_client",
    "decided_at",
    "carried_from_id",
)


@transaction.atomic
def complete(build_id: str, measurement: Measurement) -> None:
    """End the processing of a build; does nothing when it has ended already."""
    baseline, build = lock_build(build_id)
    if build.status != PROCESSING:
        return
    rows = [*measurement.measured, *measurement.added]
    _carry(build, rows)
    update_rows(measurement.measured, MEASURED_FIELDS)
    Screenshot.objects.bulk_create(measurement.added, batch_size=ROWS_AT_ONCE)
    _log_carried(build, rows)
    counts = tally_of(build)
    store_counts(build, counts)
    build.status = COMPLETED
    build.completed_at = now()
    build.save()
    _start_review(build, baseline, counts)
    tell_hosts(build)


@transaction.atomic
def complete_again(build_id: str, measurement: Measurement) -> None:
    """Write a re-comparison, unless the build was decided or gone on meanwhile; rule 8."""
    _, build = lock_build(build_id)
    if not can_be_compared_again(build):
        return
    before = build.review_state
    update_rows(measurement.measured, RECOMPARED_FIELDS)
    counts = tally_of(build)
    store_counts(build, counts)
    build.review_state = review_after_recomparison(before, counts)
    build.save()
    if build.review_state != before:
        _record(build, "build.review_state_changed", before=before, after=build.review_state)
    tell_hosts(build)


def can_be_compared_again(build: Build) -> bool:
    return build.status == COMPLETED and build.review_state in {UNREVIEWED, NOT_REQUIRED}


@transaction.atomic
def fail(build_id: str, reason: str) -> None:
    """End a build whose processing cannot succeed, with the reason in words."""
    build = Build.objects.select_for_update().get(pk=build_id)
    if build.status != PROCESSING:
        return
    build.status = FAILED
    build.failure = reason
    build.completed_at = now()
    build.save()
    _record(build, "build.failed", before=PROCESSING, after=FAILED)
    tell_hosts(build)


def _carry(build: Build, rows: Iterable[Screenshot]) -> None:
    """Start with an approval where the very same pair was approved before; rule 6."""
    if build.baseline_id is None:
        return
    pairs = {
        row: PairOf(
            VariantKey(row.story_id, row.theme, row.device), row.baseline_image_id, row.image_id
        )
        for row in rows
        if row.diff_state in DIFFERENCES and not row.detection_only
    }
    found = histories(build.baseline_id, build.baseline_move, list(pairs.values()))
    for row, pair in pairs.items():
        _apply_history(row, found[pair.key])


def _apply_history(row: Screenshot, history: PairHistory) -> None:
    row.matches_former_baseline = history.right_was_baseline
    if not carries_over(history) or history.last is None:
        return
    row.review_decision = APPROVED
    row.decision_source = CARRIED_OVER
    row.decided_by_id = history.last.by_id
    row.decided_by_name = history.last.by_name
    row.decided_client = history.last.client
    row.decided_at = now()
    row.carried_from_id = history.last.screenshot_id


def _log_carried(build: Build, rows: Iterable[Screenshot]) -> None:
    ReviewEntry.objects.bulk_create(
        (
            ReviewEntry(
                build=build,
                screenshot=row,
                decision=APPROVED,
                source=CARRIED_OVER,
                decided_by_id=row.decided_by_id,
                decided_by_name=row.decided_by_name,
                client=row.decided_client,
                baseline_id=build.baseline_id,
                story_id=row.story_id,
                theme=row.theme,
                device=row.device,
                left_image_id=row.baseline_image_id,
                right_image_id=row.image_id,
            )
            for row in rows
            if row.decision_source == CARRIED_OVER
        ),
        batch_size=ROWS_AT_ONCE,
    )


def _start_review(build: Build, baseline: Baseline, counts: Tally) -> None:
    state = review_after_comparison(counts)
    if state == APPROVED and _undoes_a_decision(build, baseline):
        state = UNREVIEWED
    if state == APPROVED:
        finalize(build, baseline, Decider(source=CARRIED_OVER))
        _record(build, "build.approved", before=UNREVIEWED, after=CARRIED_OVER)
    else:
        write_review_state(build, state, Decider(source=""))


def _undoes_a_decision(build: Build, baseline: Baseline) -> bool:
    """Whether a carried-over approval would go behind what was decided of the branch since."""
    older = is_rollback(build.number, newest_approved_number(baseline))
    return older or restored_since(build, baseline)


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
