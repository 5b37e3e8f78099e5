"""What a request does to the build, before anything is written; pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.builds.reviewing.batch_requests import DecisionRequest
from visual_review.builds.reviewing.decision_conflicts import SelectedShot
from visual_review.builds.states import (
    APPROVED,
    CLEARED,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    ReviewCounts,
    counts_after,
    creates_version,
    review_after_clearing,
    review_after_decision,
)


@dataclass(frozen=True)
class BuildBefore:
    """The build that is decided. ``sets_baseline``: it created its branch's current version."""

    state: str
    counts: ReviewCounts
    sets_baseline: bool


@dataclass(frozen=True)
class BatchPlan:
    """``state`` is the build's review state afterwards; ``approves`` creates a version."""

    state: str
    approves: bool = False


def plan_batch(
    build: BuildBefore, shots: Sequence[SelectedShot], request: DecisionRequest
) -> BatchPlan:
    """Return what the decision on ``shots``, which all change by it, does to the build."""
    after = "" if request.decision == CLEARED else request.decision
    counts = counts_after(
        build.counts, ((shot.diff_state, shot.review_decision, after) for shot in shots)
    )
    if request.decision == CLEARED:
        return BatchPlan(review_after_clearing(build.state, counts))
    if request.decision == REJECTED:
        return BatchPlan(_state_after_rejection(build.state, counts, shots, request))
    if _approves(build, counts, shots, request):
        return BatchPlan(APPROVED, approves=True)
    return BatchPlan(review_after_decision(build.state, APPROVED, counts) if shots else build.state)


def _state_after_rejection(
    current: str, counts: ReviewCounts, shots: Sequence[SelectedShot], request: DecisionRequest
) -> str:
    if request.selection.whole_build:
        return REJECTED
    # An unchanged screenshot does not block an approval, so its rejection does not undo one.
    if not any(shot.diff_state in DIFFERENCES for shot in shots):
        return current
    return review_after_decision(current, REJECTED, counts)


def _approves(
    build: BuildBefore,
    counts: ReviewCounts,
    shots: Sequence[SelectedShot],
    request: DecisionRequest,
) -> bool:
    if request.selection.whole_build:
        # Approving the build of the current baseline again creates no version.
        return bool(shots) or build.state != APPROVED or not build.sets_baseline
    accepts_removal = any(shot.diff_state == REMOVED for shot in shots)
    return creates_version(build.state, counts, accepts_removal=accepts_removal)
