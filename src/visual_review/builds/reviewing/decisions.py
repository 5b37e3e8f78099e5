"""Decisions on screenshots and builds by people and keys, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.notifying.outbox import Rejection, notify_hosts
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.build_facts import BuildFacts, read_facts
from visual_review.builds.reviewing.decision_writes import (
    CreatedVersion,
    accept_removals,
    create_version,
    lock_for_decision,
    write_decision,
)
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    ShotCondition,
    log_build_decision,
)
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    UNCHANGED,
    Decision,
    counts_after,
    creates_version,
    require_decidable,
    require_reviewable,
    review_after_decision,
)
from visual_review.kernel.errors import ConflictError, NotFoundError


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
    """Decide one screenshot, which is locked; raises ConflictError if it cannot be decided."""
    build = shot.build
    require_decidable(build.status)
    require_reviewable(shot.diff_state, detection_only=shot.detection_only)
    facts = read_facts(build, build.own_baseline)
    written = write_decision(build, ShotCondition.by_id([shot.pk]), decision, decider, comment)
    rejection = None
    if decision == REJECTED and written.last is not None:
        rejection = Rejection(written.last, comment or "")
    if decision == REJECTED and shot.diff_state not in DIFFERENCES:
        # Such a screenshot does not block an approval, so its rejection does not undo one.
        result = DecisionResult(build, build.review_state, 1, still_baseline=facts.sets_baseline)
        return _notify(result, rejection)
    decided = [(shot.diff_state, shot.review_decision)]
    return _notify(_after_some(build, facts, decided, decision, decider), rejection)


def approve_story(
    organization_id: str, build_id: str, story_id: str, decider: Decider
) -> DecisionResult:
    """Approve the changed and new variants of a story; raises ConflictError without any."""
    baseline, build = lock_build_of(organization_id, build_id)
    shots = Screenshot.objects.filter(build=build, story_id=story_id, detection_only=False)
    variants = list(shots.values_list("pk", "diff_state", "review_decision"))
    if not variants:
        raise NotFoundError("There is no story with this id in the build.")
    require_decidable(build.status)
    blocking = [variant for variant in variants if variant[1] in BLOCKING]
    if not blocking:
        raise ConflictError(
            "This story has no changed or new screenshots in this build, "
            "so there is nothing to approve."
        )
    facts = read_facts(build, baseline)
    ids = ShotCondition.by_id([pk for pk, *_ in blocking])
    write_decision(build, ids, APPROVED, decider)
    decided = [(state, before) for _, state, before in blocking]
    return _notify(_after_some(build, facts, decided, APPROVED, decider))


def approve_build(
    organization_id: str, build_id: str, decider: Decider, *, everything: bool = False
) -> DecisionResult:
    """Approve the build and every difference in it, rejected ones included.

    ``everything`` approves unchanged and inherited screenshots as well. Approving the build of the
    current baseline again creates no version.
    """
    baseline, build = lock_for_decision(organization_id, build_id)
    before = build.review_state
    facts = read_facts(build, baseline)
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    # Screenshots approved before keep their decider.
    undecided = ShotCondition.by_state_except(build, states, decision=APPROVED)
    written = write_decision(build, undecided, APPROVED, decider).count
    if before == APPROVED and not written and facts.sets_baseline:
        return DecisionResult(
            build, before, 0, finalized=True, accepted_removals=build.removed_count
        )
    done = create_version(build, baseline, decider, build.removed_count, facts.replaced_number)
    return _notify(_finalized(build, before, written, done))


def reject_build(organization_id: str, build_id: str, decider: Decider) -> DecisionResult:
    """Reject the build and every difference in it; never changes a baseline."""
    baseline, build = lock_for_decision(organization_id, build_id)
    before = build.review_state
    facts = read_facts(build, baseline)
    # As with an approval, earlier rejections keep their decider and comment.
    others = ShotCondition.by_state_except(build, DIFFERENCES, decision=REJECTED)
    written = write_decision(build, others, REJECTED, decider).count
    if before != REJECTED:
        log_build_decision(build, LoggedDecision.by(decider, REJECTED))
        write_review_state(build, REJECTED, decider)
    return _notify(DecisionResult(build, before, written, still_baseline=facts.sets_baseline))


def _notify(result: DecisionResult, rejection: Rejection | None = None) -> DecisionResult:
    """Queue notifications to the Git provider; the last write of a decision."""
    notify_hosts(result.build, rejection=rejection)
    return result


def _after_some(
    build: Build,
    facts: BuildFacts,
    decided: Sequence[tuple[str, str]],
    decision: Decision,
    decider: Decider,
) -> DecisionResult:
    """Write what follows for the build; ``decided`` are (diff state, decision before) of each."""
    before = build.review_state
    counts = counts_after(facts.counts, ((*shot, decision) for shot in decided))
    removes_story = any(state == REMOVED and former != APPROVED for state, former in decided)
    if decision == APPROVED and creates_version(before, counts, accepts_removal=removes_story):
        accepted = accept_removals(build, decider, counts)
        done = create_version(build, build.own_baseline, decider, accepted, facts.replaced_number)
        return _finalized(build, before, len(decided), done)
    state = review_after_decision(before, decision, counts)
    if state != before:
        write_review_state(build, state, decider)
    return DecisionResult(build, before, len(decided), still_baseline=facts.sets_baseline)


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
