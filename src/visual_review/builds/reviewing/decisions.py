"""Decisions on screenshots and builds by people and keys, in the caller's transaction.

Always in this order: lock the branch's baseline, lock the build, write rows.
"""

from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from visual_review.builds.counts import count_screenshots
from visual_review.builds.locks import lock_build
from visual_review.builds.models import (
    Baseline,
    BaselineMove,
    Build,
    ChangeGroup,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.notifying.outbox import notify_hosts, notify_rejection
from visual_review.builds.reviewing.approval import Decider, finalize, write_review_state
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    log_build_decision,
    log_screenshot_decisions,
)
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    UNCHANGED,
    Decision,
    require_decidable,
    require_reviewable,
    review_after_decision,
)
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError


@dataclass(frozen=True)
class DecisionResult:
    """The result of a decision. ``accepted_removals`` counts entries it removed.

    ``left_rejected`` counts screenshots of a group that stay rejected.
    """

    build: Build
    before: str
    screenshots: int
    finalized: bool = False
    accepted_removals: int = 0
    rolled_back: bool = False
    version: int | None = None
    still_baseline: bool = False
    left_rejected: int = 0


def review_screenshot(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> DecisionResult:
    """Decide one screenshot; raises ConflictError if it cannot be decided."""
    baseline, build = _lock(shot.build_id)
    rows = Screenshot.objects.filter(pk=shot.pk)
    # Read again under the lock: another reviewer or a comparison may have changed it.
    locked = rows.get()
    require_reviewable(locked.diff_state, detection_only=locked.detection_only)
    removes_story = locked.diff_state == REMOVED and locked.review_decision != APPROVED
    written = _write(build, rows, decision, decider, comment)
    if decision == REJECTED:
        notify_rejection(build, written[0])
    if decision == REJECTED and locked.diff_state not in DIFFERENCES:
        # Such a screenshot does not block an approval, so its rejection does not undo one.
        still = _is_current_baseline(baseline, build)
        return _notify(DecisionResult(build, build.review_state, 1, still_baseline=still))
    return _notify(
        _after_single(
            build, baseline, decision, decider, screenshots=1, removes_story=removes_story
        )
    )


def approve_story(build_id: str, story_id: str, decider: Decider) -> DecisionResult:
    """Approve the changed and new variants of a story; raises ConflictError without any."""
    baseline, build = _lock(build_id)
    rows = Screenshot.objects.filter(
        build=build, story_id=story_id, diff_state__in=BLOCKING, detection_only=False
    )
    count = len(_write(build, rows, APPROVED, decider, None))
    if not count:
        raise ConflictError(
            "This story has no changed or new screenshots in this build, "
            "so there is nothing to approve."
        )
    return _notify(_after_single(build, baseline, APPROVED, decider, screenshots=count))


def approve_group(group: ChangeGroup, revision: str, decider: Decider) -> DecisionResult:
    """Approve the undecided screenshots of a group as it was shown; rejected ones stay rejected.

    Raises ConflictError if the group changed since, or has no undecided screenshot.
    """
    baseline, build = _lock(group.build_id)
    # Read again under the lock: a comparison may have changed or deleted it.
    if not ChangeGroup.objects.filter(pk=group.pk, revision=revision).exists():
        raise ConflictError(
            "This group has changed since it was shown: its build was compared again. "
            "Reload the build and look at the group again."
        )
    rows = Screenshot.objects.filter(
        build=build, group=group.pk, diff_state__in=BLOCKING, detection_only=False
    )
    left = rows.filter(review_decision=REJECTED).count()
    count = len(_write(build, rows.filter(review_decision=""), APPROVED, decider, None))
    if not count:
        raise ConflictError(
            "Every screenshot of this group is already decided, so there is nothing to approve."
        )
    done = _after_single(build, baseline, APPROVED, decider, screenshots=count)
    return _notify(replace(done, left_rejected=left))


def approve_build(build_id: str, decider: Decider, *, everything: bool = False) -> DecisionResult:
    """Approve the build and every difference in it, rejected ones included.

    ``everything`` approves unchanged and inherited screenshots as well. Approving the build of the
    current baseline again creates no version.
    """
    baseline, build = _lock(build_id)
    before = build.review_state
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    rows = Screenshot.objects.filter(build=build, diff_state__in=states, detection_only=False)
    # Screenshots approved before keep their decider.
    written = len(_write(build, rows.exclude(review_decision=APPROVED), APPROVED, decider, None))
    if before == APPROVED and not written and _is_current_baseline(baseline, build):
        return DecisionResult(
            build, before, 0, finalized=True, accepted_removals=build.removed_count
        )
    done = finalize(build, baseline, decider)
    log_build_decision(build, LoggedDecision.by(decider, APPROVED))
    return _notify(
        DecisionResult(
            build,
            before,
            written,
            finalized=True,
            accepted_removals=build.removed_count,
            rolled_back=done.rolled_back,
            version=done.version.sequence,
        )
    )


def reject_build(build_id: str, decider: Decider) -> DecisionResult:
    """Reject the build and every difference in it; never changes a baseline."""
    baseline, build = _lock(build_id)
    before = build.review_state
    rows = Screenshot.objects.filter(build=build, diff_state__in=DIFFERENCES, detection_only=False)
    # As with an approval, earlier rejections keep their decider and comment.
    written = _write(build, rows.exclude(review_decision=REJECTED), REJECTED, decider, None)
    if before != REJECTED:
        log_build_decision(build, LoggedDecision.by(decider, REJECTED))
        write_review_state(build, REJECTED, decider)
    still = _is_current_baseline(baseline, build)
    return _notify(DecisionResult(build, before, len(written), still_baseline=still))


def _notify(result: DecisionResult) -> DecisionResult:
    """Queue notifications to the Git provider; the last write of a decision."""
    notify_hosts(result.build)
    return result


def _lock(build_id: str) -> tuple[Baseline, Build]:
    baseline, build = lock_build(build_id)
    require_decidable(build.status)
    return baseline, build


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
    state = review_after_decision(before, decision, counts)
    # A repeated decision in an approved build must not bring its whole set back after newer
    # approvals; but a removal that is accepted only now has to leave the baseline.
    if state == APPROVED and (before != APPROVED or removes_story):
        return _finalize_single(build, baseline, decider, screenshots)
    if state != before:
        write_review_state(build, state, decider)
    return DecisionResult(
        build, before, screenshots, still_baseline=_is_current_baseline(baseline, build)
    )


def _finalize_single(
    build: Build, baseline: Baseline, decider: Decider, screenshots: int
) -> DecisionResult:
    before = build.review_state
    undecided = Screenshot.objects.filter(
        Q(review_decision=""), build=build, diff_state=REMOVED, detection_only=False
    )
    # Finalizing accepts undecided removals, and the log records it.
    _write(build, undecided, APPROVED, decider, None)
    accepted = count_screenshots(build).removed_approved
    done = finalize(build, baseline, decider)
    log_build_decision(build, LoggedDecision.by(decider, APPROVED))
    return DecisionResult(
        build,
        before,
        screenshots,
        finalized=True,
        accepted_removals=accepted,
        rolled_back=done.rolled_back,
        version=done.version.sequence,
    )


def _is_current_baseline(baseline: Baseline, build: Build) -> bool:
    """Return whether this build created the current version of the branch's baseline."""
    return BaselineMove.objects.filter(
        baseline=baseline, sequence=baseline.last_move, build=build
    ).exists()


def _write(
    build: Build,
    rows: QuerySet[Screenshot],
    decision: Decision,
    decider: Decider,
    comment: str | None,
) -> list[ReviewEntry]:
    """Write the decision to every row, and to the review log."""
    values: dict[str, object] = {
        "review_decision": decision,
        "decision_source": decider.source,
        "decided_by_id": decider.id,
        "decided_by_name": decider.name,
        "decided_client": decider.client,
        "decided_at": now(),
        "carried_from_id": "",
    }
    if comment is not None or decision == APPROVED:
        # An approval clears the comment of an earlier rejection; the log keeps it.
        values["comment"] = comment or ""
    shots = list(rows)
    Screenshot.objects.filter(pk__in=[shot.pk for shot in shots]).update(**values)
    logged = LoggedDecision.by(decider, decision, comment or "")
    return log_screenshot_decisions(build, ((shot, logged) for shot in shots))
