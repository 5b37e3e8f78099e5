"""Decisions on screenshots and builds by people and keys, in the caller's transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.notifying.outbox import Rejection, notify_hosts
from visual_review.builds.notifying.repeated_comments import find_unposted_rejection
from visual_review.builds.reviewing.approval import (
    Decider,
    review_columns,
    write_review_state,
)
from visual_review.builds.reviewing.build_facts import BuildFacts, RejectionCount, read_facts
from visual_review.builds.reviewing.decision_writes import (
    CreatedVersion,
    ShotCondition,
    accept_removals,
    create_version,
    lock_for_decision,
    shot_decision,
    write_shot_decision_with_facts,
)
from visual_review.builds.reviewing.review_log import WrittenEntries
from visual_review.builds.states import (
    APPROVED,
    BLOCKING,
    COMPLETED,
    DIFFERENCES,
    REJECTED,
    REMOVED,
    UNCHANGED,
    Decision,
    creates_version,
    require_decidable,
    require_reviewable,
    review_after_decision,
)
from visual_review.kernel.errors import ConflictError, NotFoundError


def is_decided_alike(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> bool:
    """Return whether the decision would leave the screenshot as it is."""
    if shot.review_decision != decision:
        return False
    if decision == REJECTED:
        # Whose retry it is makes no difference: the author has read this.
        return comment is None or comment.strip() == shot.comment.strip()
    # An approval that was carried over becomes the caller's own.
    own = (shot.decided_by_id, shot.decision_source) == (decider.id, decider.source)
    return own and shot.comment == (comment or "")


@dataclass(frozen=True)
class ReviewedShot:
    """One screenshot after its decision."""

    id: str
    decision: Decision
    comment: str


@dataclass(frozen=True)
class DecisionResult:
    """The result of a decision. ``accepted_removals`` counts entries it removed.

    ``pairs``: how many screenshots have each diff state and decision now, unless it is approved.
    ``overridden`` are the rejections that an approval of several screenshots replaced. ``shot`` is
    set for one screenshot. ``is_repeated``: everything was as decided before, and nothing changed.
    ``written`` are the entries on screenshots in the review log.
    """

    build: Build
    before: str
    screenshots: int
    finalized: bool = False
    accepted_removals: int = 0
    rolled_back: bool = False
    version: int | None = None
    still_baseline: bool = False
    pairs: Mapping[tuple[str, str], int] = field(default_factory=dict)
    overridden: Sequence[RejectionCount] = ()
    shot: ReviewedShot | None = None
    is_repeated: bool = False
    written: WrittenEntries = field(default_factory=WrittenEntries)


def review_screenshot(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> DecisionResult:
    """Decide one screenshot, which is locked; raises ConflictError if it cannot be decided."""
    require_decidable(shot.build.status)
    require_reviewable(shot.diff_state, detection_only=shot.detection_only)
    result = None
    if is_decided_alike(shot, decision, comment, decider):
        result = _repeat_decision(shot, decision)
    if result is None:
        result = _decide_one(shot, decision, comment, decider)
    # Only a rejection that is repeated without a comment keeps the one it had.
    kept = shot.comment if decision == REJECTED == shot.review_decision else ""
    reviewed = ReviewedShot(shot.pk, decision, kept if comment is None else comment)
    return replace(result, shot=reviewed)


def _repeat_decision(shot: Screenshot, decision: Decision) -> DecisionResult | None:
    """Return the result of the same decision again; None if it would change the build now."""
    build = shot.build
    facts = read_facts(build, build.own_baseline)
    state = build.review_state
    if decision == APPROVED and review_after_decision(state, APPROVED, facts.counts) != state:
        return None
    result = replace(_undecided(build, state, 1, facts, decision), is_repeated=True)
    if decision == REJECTED and (rejection := find_unposted_rejection(shot)):
        return _notify(result, rejection)
    return result


def _decide_one(
    shot: Screenshot, decision: Decision, comment: str | None, decider: Decider
) -> DecisionResult:
    build = shot.build
    only = ShotCondition.by_id([shot.pk])
    written, facts = write_shot_decision_with_facts(
        shot_decision(build, only, decision, decider, comment)
    )
    rejection = None
    if decision == REJECTED and written.last is not None:
        rejection = Rejection(written.last, comment or "")
    if decision == REJECTED and shot.diff_state not in DIFFERENCES:
        # Such a screenshot does not block an approval, so its rejection does not undo one.
        result = _undecided(build, build.review_state, 1, facts, decision)
    else:
        result = _after_some(build, facts, decision, decider)
    return _notify(replace(result, written=written), rejection)


def approve_story(
    organization_id: str, build_id: str, story_id: str, decider: Decider
) -> DecisionResult:
    """Approve the changed and new variants of a story; raises ConflictError without any."""
    _, build = lock_build_of(organization_id, build_id)
    if build.status != COMPLETED:
        # What does not exist is an error before what cannot be done.
        _require_story(build, story_id)
    require_decidable(build.status)
    # Screenshots approved before keep their decider.
    others = ShotCondition.by_state(build, BLOCKING).of_story(story_id).not_decided(APPROVED)
    written, facts = write_shot_decision_with_facts(shot_decision(build, others, APPROVED, decider))
    if not written.count and _require_story(build, story_id).isdisjoint(BLOCKING):
        raise ConflictError(
            "This story has no changed or new screenshots in this build, "
            "so there is nothing to approve."
        )
    result = _after_some(build, facts, APPROVED, decider)
    if not written.count and result.before == build.review_state:
        return replace(result, is_repeated=True)
    overridden = facts.rejections(decided=True)
    return _notify(replace(result, overridden=overridden, written=written))


def _require_story(build: Build, story_id: str) -> set[str]:
    """Return the diff states of the story's screenshots; raises NotFoundError without any."""
    shots = Screenshot.objects.filter(build=build, story_id=story_id, detection_only=False)
    states = set(shots.values_list("diff_state", flat=True))
    if not states:
        raise NotFoundError(
            "There is no story with this id in the build. get_build lists its stories."
        )
    return states


def approve_build(
    organization_id: str, build_id: str, decider: Decider, *, everything: bool = False
) -> DecisionResult:
    """Approve the build and every difference in it, rejected ones included.

    ``everything`` approves unchanged and inherited screenshots as well. Approving the build of the
    current baseline again creates no version.
    """
    baseline, build = lock_for_decision(organization_id, build_id)
    before = build.review_state
    states = (*DIFFERENCES, UNCHANGED) if everything else DIFFERENCES
    # Screenshots approved before keep their decider.
    others = ShotCondition.by_state(build, states).not_decided(APPROVED)
    entries, facts = write_shot_decision_with_facts(shot_decision(build, others, APPROVED, decider))
    written = entries.count
    if before == APPROVED and not written and facts.sets_baseline:
        result = DecisionResult(build, before, 0, finalized=True, is_repeated=True)
        return replace(result, accepted_removals=build.removed_count)
    done = create_version(build, baseline, decider, build.removed_count, facts.replaced_number)
    result = _finalized(build, before, written, done)
    overridden = facts.rejections(decided=True)
    return _notify(replace(result, overridden=overridden, written=entries))


def reject_build(organization_id: str, build_id: str, decider: Decider) -> DecisionResult:
    """Reject the build and every difference in it; never changes a baseline."""
    _, build = lock_for_decision(organization_id, build_id)
    before = build.review_state
    # As with an approval, earlier rejections keep their decider and comment.
    others = ShotCondition.by_state(build, DIFFERENCES).not_decided(REJECTED)
    rejection = shot_decision(build, others, REJECTED, decider)
    if before != REJECTED:
        rejection = replace(rejection, review=review_columns(REJECTED, decider))
    written, facts = write_shot_decision_with_facts(rejection)
    vars(build).update(rejection.review)
    result = _undecided(build, before, written.count, facts, REJECTED)
    if before == REJECTED and not written.count:
        return replace(result, is_repeated=True)
    return _notify(replace(result, written=written))


def _notify(result: DecisionResult, rejection: Rejection | None = None) -> DecisionResult:
    """Queue notifications to the Git provider; the last write of a decision."""
    notify_hosts(result.build, rejection=rejection)
    return result


def _after_some(
    build: Build, facts: BuildFacts, decision: Decision, decider: Decider
) -> DecisionResult:
    """Write what follows for the build from a decision on some of its screenshots."""
    before = build.review_state
    counts = facts.counts_after(decision)
    decided = [group for group in facts.groups if group.is_decided]
    number = sum(facts.groups[group] for group in decided)
    removes_story = any(
        group.diff_state == REMOVED and group.decision != APPROVED for group in decided
    )
    if decision == APPROVED and creates_version(before, counts, accepts_removal=removes_story):
        accepted = accept_removals(build, decider, counts)
        done = create_version(build, build.own_baseline, decider, accepted, facts.replaced_number)
        return _finalized(build, before, number, done)
    state = review_after_decision(before, decision, counts)
    if state != before:
        write_review_state(build, state, decider)
    return _undecided(build, before, number, facts, decision)


def _undecided(
    build: Build, before: str, screenshots: int, facts: BuildFacts, decision: Decision
) -> DecisionResult:
    pairs, still = facts.pairs_after(decision), facts.sets_baseline
    return DecisionResult(build, before, screenshots, still_baseline=still, pairs=pairs)


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
