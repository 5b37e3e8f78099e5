"""A request's changes, its open questions, and its effect on the build; pure."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from visual_review.builds.deciders import name_person
from visual_review.builds.reviewing.requests import DecisionRequest
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
from visual_review.kernel.errors import ConflictError

NAMES_SHOWN: Final = 3


class SelectedShot(NamedTuple):
    """A screenshot of the request with its current decision; named after the columns."""

    id: str
    story_id: str
    theme: str
    device: str
    diff_state: str
    detection_only: bool
    review_decision: str
    decision_source: str
    decided_by_id: str
    decided_by_name: str
    decided_client: str
    decided_at: datetime | None
    comment: str
    carried_from_id: str


class OverrideNeededError(ConflictError):
    """The request would replace decisions, so the reviewer has to confirm."""

    def __init__(self, conflicts: Sequence[SelectedShot]) -> None:
        self.conflicts = tuple(conflicts)
        names = list_deciders(sorted({shot.decided_by_name for shot in conflicts}))
        count = len(conflicts)
        decisions = "a decision" if count == 1 else f"{count:,} decisions"
        super().__init__(
            f"This would replace {decisions} of {names}. "
            "Confirm that, or reload the build and look at them."
        )


def shots_to_decide(shots: Iterable[SelectedShot], request: DecisionRequest) -> list[SelectedShot]:
    """Return the screenshots changed by the request; equal decisions keep their decider."""
    return [shot for shot in shots if _is_changed(shot, request)]


def _is_changed(shot: SelectedShot, request: DecisionRequest) -> bool:
    if request.decision not in {APPROVED, REJECTED}:
        return bool(shot.review_decision)
    if shot.review_decision != request.decision:
        return True
    # A repeated rejection of one screenshot may say more than the first.
    named = shot.id in request.selection.screenshots
    return named and request.comment.strip() not in {"", shot.comment.strip()}


def find_conflicts(
    shots: Iterable[SelectedShot],
    request: DecisionRequest,
    caller_id: str,
    changed_since: Collection[str],
) -> list[SelectedShot]:
    """Return the screenshots with decisions to confirm by the reviewer.

    ``changed_since`` are the screenshots decided by others after the state the reviewer had seen. A
    reviewer approving a group, a story or the build may not have looked at the rejections inside.
    """
    named = set(request.selection.screenshots)
    return [
        shot
        for shot in shots
        if shot.review_decision
        and (
            (shot.id in changed_since and shot.decided_by_id != caller_id)
            or (
                request.decision == APPROVED
                and shot.review_decision == REJECTED
                and shot.id not in named
            )
        )
    ]


@dataclass(frozen=True)
class BuildBefore:
    """The build to decide. ``sets_baseline``: the build created its branch's current version."""

    state: str
    counts: ReviewCounts
    sets_baseline: bool


@dataclass(frozen=True)
class DecisionPlan:
    """``state`` is the build's review state afterwards; ``approves`` creates a version."""

    state: str
    approves: bool = False


def plan_decision(
    build: BuildBefore, shots: Sequence[SelectedShot], request: DecisionRequest
) -> DecisionPlan:
    """Return the effect on the build of the decision that changes all ``shots``."""
    after = "" if request.decision == CLEARED else request.decision
    counts = counts_after(
        build.counts, ((shot.diff_state, shot.review_decision, after) for shot in shots)
    )
    if request.decision == CLEARED:
        return DecisionPlan(review_after_clearing(build.state, counts))
    if request.decision == REJECTED:
        return DecisionPlan(_state_after_rejection(build.state, counts, shots, request))
    if _approves(build, counts, shots, request):
        return DecisionPlan(APPROVED, approves=True)
    return DecisionPlan(
        review_after_decision(build.state, APPROVED, counts) if shots else build.state
    )


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
    accepts_removal = any(
        shot.diff_state == REMOVED and shot.review_decision != APPROVED for shot in shots
    )
    return creates_version(build.state, counts, accepts_removal=accepts_removal)


@dataclass(frozen=True)
class RejectionCount:
    """How many screenshots a person or key has rejected."""

    by: str
    count: int


def rank_rejections(counted: Counter[str]) -> tuple[RejectionCount, ...]:
    """Return the rejections by the name of who rejected, most first."""
    ranked = sorted((-count, name) for name, count in counted.items() if count)
    return tuple(RejectionCount(name, -count) for count, name in ranked)


def find_overridden(
    shots: Iterable[SelectedShot], request: DecisionRequest
) -> tuple[RejectionCount, ...]:
    """Return the rejections replaced by an approval of the screenshots, most first.

    A reviewer who selects a rejected screenshot by itself knows of its rejection.
    """
    if request.decision != APPROVED:
        return ()
    named = set(request.selection.screenshots)
    rejected = (shot for shot in shots if shot.review_decision == REJECTED and shot.id not in named)
    return rank_rejections(Counter(shot.decided_by_name for shot in rejected))


def list_deciders(names: Sequence[str], quote: Callable[[str], str] = str) -> str:
    """Return ``Bob, Carol and 3 others``; ``quote`` makes names safe to show."""
    known = [quote(name_person(name)) for name in names]
    if len(known) > NAMES_SHOWN:
        more = len(known) - NAMES_SHOWN
        known = [*known[:NAMES_SHOWN], f"{more:,} {'other' if more == 1 else 'others'}"]
    return " and ".join(filter(None, (", ".join(known[:-1]), known[-1])))


def describe_overridden(
    rejections: Sequence[RejectionCount], quote: Callable[[str], str] = str
) -> str:
    """Return how many rejections an approval replaced, and their deciders; empty if none."""
    if not rejections:
        return ""
    count = sum(each.count for each in rejections)
    names = list_deciders([each.by for each in rejections], quote)
    overridden = "1 rejection" if count == 1 else f"{count:,} rejections"
    return f"{overridden} by {names} {'is' if count == 1 else 'are'} overridden."
