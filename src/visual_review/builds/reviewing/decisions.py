"""Decisions on screenshots and builds by people and keys, in the caller's transaction."""

from dataclasses import dataclass

from django.db.models import QuerySet

from visual_review.builds.counts import count_screenshots
from visual_review.builds.models import Baseline, Build, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts, notify_rejection
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.decision_writes import (
    CreatedVersion,
    accept_removals,
    create_version,
    is_current_baseline,
    lock_for_decision,
    write_decision,
)
from visual_review.builds.reviewing.review_log import LoggedDecision, log_build_decision
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    UNCHANGED,
    Decision,
    creates_version,
    require_reviewable,
    review_after_decision,
)
from visual_review.kernel.errors import ConflictError


@dataclass(frozen=True)
class DecisionResult:
    """The result of a decision. ``accepted_removals`` counts entries it removed."""

    build: Build
    before: str
    screenshots: int
    finalized: bool = False
    accepted_removals: int = 0
    rolled_back: bool = False
    version: int | None = None
    still_baseline: bool = False


def review_screenshot(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> DecisionResult:
    """Decide one screenshot; raises ConflictError if it cannot be decided."""
    baseline, build = lock_for_decision(shot.build_id)
    # Read again under the lock: another reviewer or a comparison may have changed it.
    locked = Screenshot.objects.get(pk=shot.pk)
    require_reviewable(locked.diff_state, detection_only=locked.detection_only)
    removes_story = locked.diff_state == REMOVED and locked.review_decision != APPROVED
    written = write_decision(build, [shot.pk], decision, decider, comment)
    if decision == REJECTED and written.last is not None:
        notify_rejection(build, ReviewEntry.objects.get(pk=written.last))
    if decision == REJECTED and locked.diff_state not in DIFFERENCES:
        # Such a screenshot does not block an approval, so its rejection does not undo one.
        still = is_current_baseline(baseline, build)
        return _notify(DecisionResult(build, build.review_state, 1, still_baseline=still))
    return _notify(
        _after_single(
            build, baseline, decision, decider, screenshots=1, removes_story=removes_story
        )
    )


def approve_story(build_id: str, story_id: str, decider: Decider) -> DecisionResult:
    """Approve the changed and new variants of a story; raises ConflictError without any."""
    baseline, build = lock_for_decision(build_id)
    rows = Screenshot.objects.filter(
        build=build, story_id=story_id, diff_state__in=BLOCKING, detection_only=False
    )
    count = _write(build, rows, APPROVED, decider)
    if not count:
        raise ConflictError(
            "This story has no changed or new screenshots in this build, "
            "so there is nothing to approve."
        )
    return _notify(_after_single(build, baseline, APPROVED, decider, screenshots=count))


def approve_build(build_id: str, decider: Decider, *, everything: bool = False) -> DecisionResult:
    """Approve the build and every difference in it, rejected ones included.

    ``everything`` approves unchanged and inherited screenshots as well. Approving the build of the
    current baseline again creates no version.
    """
    baseline, build = lock_for_decision(build_id)
    before = build.review_state
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    rows = Screenshot.objects.filter(build=build, diff_state__in=states, detection_only=False)
    # Screenshots approved before keep their decider.
    written = _write(build, rows.exclude(review_decision=APPROVED), APPROVED, decider)
    if before == APPROVED and not written and is_current_baseline(baseline, build):
        return DecisionResult(
            build, before, 0, finalized=True, accepted_removals=build.removed_count
        )
    done = create_version(build, baseline, decider, build.removed_count)
    return _notify(_finalized(build, before, written, done))


def reject_build(build_id: str, decider: Decider) -> DecisionResult:
    """Reject the build and every difference in it; never changes a baseline."""
    baseline, build = lock_for_decision(build_id)
    before = build.review_state
    rows = Screenshot.objects.filter(build=build, diff_state__in=DIFFERENCES, detection_only=False)
    # As with an approval, earlier rejections keep their decider and comment.
    written = _write(build, rows.exclude(review_decision=REJECTED), REJECTED, decider)
    if before != REJECTED:
        log_build_decision(build, LoggedDecision.by(decider, REJECTED))
        write_review_state(build, REJECTED, decider)
    still = is_current_baseline(baseline, build)
    return _notify(DecisionResult(build, before, written, still_baseline=still))


def _notify(result: DecisionResult) -> DecisionResult:
    """Queue notifications to the Git provider; the last write of a decision."""
    notify_hosts(result.build)
    return result


def _after_single(
    build: Build,
    baseline: Baseline,
    decision: Decision,
    decider: Decider,
    *,
    screenshots: int,
    removes_story: bool = False,
) -> DecisionResult:
    before = build.review_state
    counts = count_screenshots(build)
    if decision == APPROVED and creates_version(before, counts, accepts_removal=removes_story):
        accepted = accept_removals(build, decider)
        done = create_version(build, baseline, decider, accepted)
        return _finalized(build, before, screenshots, done)
    state = review_after_decision(before, decision, counts)
    if state != before:
        write_review_state(build, state, decider)
    return DecisionResult(
        build, before, screenshots, still_baseline=is_current_baseline(baseline, build)
    )


def _finalized(build: Build, before: str, screenshots: int, done: CreatedVersion) -> DecisionResult:
    return DecisionResult(
        build,
        before,
        screenshots,
        finalized=True,
        accepted_removals=done.accepted_removals,
        rolled_back=done.rolled_back,
        version=done.version,
    )


def _write(build: Build, rows: QuerySet[Screenshot], decision: Decision, decider: Decider) -> int:
    """Write the decision to every row; return how many."""
    ids = list(rows.values_list("pk", flat=True))
    return write_decision(build, ids, decision, decider).count
