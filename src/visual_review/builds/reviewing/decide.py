"""Decide screenshots of a build, in the caller's transaction: the way of every interface.

The same request has one effect, however often sent. If the request would approve the build or
replace decisions unknown to the reviewer, an error asks for a confirmation, and nothing is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import (
    Baseline,
    BaselineVersion,
    Build,
    DecisionBatch,
    ReviewEntry,
    Screenshot,
)
from visual_review.builds.notifying.events import publish_comment
from visual_review.builds.notifying.outbox import Rejection, notify_hosts
from visual_review.builds.notifying.repeated_comments import (
    find_earlier_rejection,
    find_unposted_rejection,
)
from visual_review.builds.notifying.withdrawals import notify_withdrawals
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.reviewers import mentioned_in
from visual_review.builds.reviewing.approval import (
    Decider,
    FinalizeNeededError,
    finalize,
    preview_approval,
    write_review_state,
)
from visual_review.builds.reviewing.plan import (
    BuildBefore,
    DecisionPlan,
    OverrideNeededError,
    SelectedShot,
    find_conflicts,
    find_overridden,
    plan_decision,
    shots_to_decide,
)
from visual_review.builds.reviewing.requests import FINALIZE, OVERRIDE, DecisionRequest
from visual_review.builds.reviewing.results import (
    DecisionEffect,
    DecisionResult,
    find_repeated,
)
from visual_review.builds.reviewing.selection import (
    require_decidable_shots,
    select_shots,
    shots_decided_since,
)
from visual_review.builds.reviewing.undo import encode_former
from visual_review.builds.reviewing.writes import (
    LoggedDecision,
    WrittenEntries,
    write_decision,
)
from visual_review.builds.states import (
    APPROVED,
    CARRIED_OVER,
    CLEARED,
    REJECTED,
    REMOVED,
    pairs_after,
    require_decidable,
    require_not_approved,
    review_counts,
)
from visual_review.builds.threads.writing import Author, store_mentions, write_rejection


@dataclass(frozen=True)
class _Decision:
    """A request under way: its locked rows, the decider, and the changes."""

    baseline: Baseline
    build: Build
    request: DecisionRequest
    decider: Decider
    # Whether the build created the current version of the baseline.
    sets_baseline: bool
    # The number of the build that created the current version.
    replaced: int | None
    # The screenshots of the request.
    selected: Sequence[SelectedShot]
    # The changing screenshots.
    shots: Sequence[SelectedShot]
    plan: DecisionPlan
    # The undecided removals accepted by an approval.
    removals: Sequence[str]
    # The numbers of screenshots by diff state and decision after the request.
    pairs: Mapping[tuple[str, str], int]


def decide(
    organization_id: str, build_id: str, request: DecisionRequest, decider: Decider
) -> DecisionResult:
    """Carry out the request, or return the result of the same earlier request.

    Raises OverrideNeededError and FinalizeNeededError to ask for a confirmation, and ConflictError,
    NotFoundError or InvalidInputError for impossible requests.
    """
    baseline, build = lock_build_of(organization_id, build_id)
    if repeated := find_repeated(build, decider, request):
        return repeated
    decision = _plan(baseline, build, request, decider)
    _require_confirmations(decision)
    return _carry_out(decision)


def _plan(
    baseline: Baseline, build: Build, request: DecisionRequest, decider: Decider
) -> _Decision:
    selected = select_shots(build, request)
    require_decidable(build.status)
    require_decidable_shots(selected, request.selection)
    if request.decision == CLEARED:
        require_not_approved(build.review_state)
    shots = shots_to_decide(selected, request)
    if not shots and _takes_over(selected, request, decider):
        shots = list(selected)
    creator, replaced = _creator_of(baseline)
    sets_baseline = creator == build.pk
    pairs = count_by_state_and_decision(build)
    before = BuildBefore(build.review_state, review_counts(pairs), sets_baseline)
    plan = plan_decision(before, shots, request)
    accepts = plan.approves and not request.selection.whole_build
    removals = list(_undecided_removals(build, shots)) if accepts else []
    return _Decision(
        baseline,
        build,
        request,
        decider,
        sets_baseline,
        replaced,
        selected,
        shots,
        plan,
        removals,
        _pairs_after(pairs, shots, request, removals),
    )


def _takes_over(
    selected: Sequence[SelectedShot], request: DecisionRequest, decider: Decider
) -> bool:
    """Whether an approval of one already approved screenshot becomes the caller's own.

    True for a carried-over approval; also for another person's, if the caller confirmed to replace
    decisions.
    """
    if request.decision != APPROVED or request.selection.single is None:
        return False
    (shot,) = selected
    replaces = shot.decision_source == CARRIED_OVER or OVERRIDE in request.confirmed
    own = (shot.decided_by_id, shot.decision_source) == (decider.id, decider.source)
    return replaces and not own


def _creator_of(baseline: Baseline) -> tuple[str | None, int | None]:
    """Return id and number of the build that set the current baseline; None if none did."""
    version = BaselineVersion.objects.filter(baseline=baseline, sequence=baseline.last_version)
    # A restore has no build, so no later approval is a rollback.
    return version.values_list("build_id", "build__number").first() or (None, None)


def _undecided_removals(build: Build, shots: Sequence[SelectedShot]) -> Iterator[str]:
    decided = {shot.id for shot in shots}
    rows = Screenshot.objects.filter(
        build=build, diff_state=REMOVED, review_decision="", detection_only=False
    )
    return (pk for pk in rows.values_list("pk", flat=True) if pk not in decided)


def _require_confirmations(decision: _Decision) -> None:
    request, build = decision.request, decision.build
    if OVERRIDE not in request.confirmed:
        changed = shots_decided_since(build, request, decision.decider.id, decision.shots)
        conflicts = find_conflicts(decision.shots, request, decision.decider.id, changed)
        if conflicts:
            raise OverrideNeededError(conflicts)
    if decision.plan.approves and FINALIZE not in request.confirmed:
        preview = preview_approval(build, everything=request.selection.unchanged)
        # The reviewer looked at the removals decided by the request itself.
        raise FinalizeNeededError(replace(preview, removals_open=len(decision.removals)))


def _carry_out(decision: _Decision) -> DecisionResult:
    build, plan = decision.build, decision.plan
    changes_build = plan.state != build.review_state
    # An approval of the build cannot be undone, and without changes there is nothing to undo.
    undoable = not plan.approves and bool(decision.shots or changes_build)
    former = encode_former(decision.shots, build if changes_build else None) if undoable else None
    # The log has the build's own entry only if the request was about the build, or approves the
    # build.
    whole = decision.request.selection.whole_build
    written = _write_screenshots(decision, logs_build=plan.approves or (changes_build and whole))
    effect = _approve(decision) if plan.approves else _write_state(decision)
    result = DecisionResult(
        build=build,
        effect=effect,
        pairs=decision.pairs,
        batch=_keep(decision, effect, former, written),
        shots=decision.selected,
        written=written,
        overridden=find_overridden(decision.shots, decision.request),
    )
    _notify(decision, result)
    return result


def _write_screenshots(decision: _Decision, *, logs_build: bool) -> WrittenEntries:
    build, request, decider = decision.build, decision.request, decision.decider
    ids = [shot.id for shot in decision.shots]
    if not ids and not logs_build:
        return WrittenEntries()
    # Finalizing accepts undecided removals without a decision of a person: the log marks such
    # entries.
    if decision.removals:
        accepted = LoggedDecision.by(decider, APPROVED, along_with_build=True)
        write_decision(build, decision.removals, accepted)
    logged = LoggedDecision.by(decider, request.decision, request.comment)
    return write_decision(build, ids, logged, logs_build=logs_build)


def _approve(decision: _Decision) -> DecisionEffect:
    """Approve the build, whose screenshots are written."""
    build = decision.build
    before = build.review_state
    done = finalize(build, decision.baseline, decision.decider, decision.replaced)
    return DecisionEffect(
        before,
        build.review_state,
        len(decision.shots),
        finalized=True,
        version=done.version.sequence,
        accepted_removals=decision.pairs.get((REMOVED, APPROVED), 0),
        accepted_failures=build.failed_count,
        rolled_back=done.rolled_back,
    )


def _write_state(decision: _Decision) -> DecisionEffect:
    build, state = decision.build, decision.plan.state
    before = build.review_state
    if state != before:
        write_review_state(build, state, decision.decider)
    whole = decision.request.selection.whole_build
    approved_before = whole and decision.request.decision == APPROVED == state
    return DecisionEffect(
        before,
        state,
        len(decision.shots),
        finalized=approved_before,
        accepted_removals=build.removed_count if approved_before else 0,
        still_baseline=decision.sets_baseline and decision.request.decision == REJECTED,
    )


def _keep(
    decision: _Decision,
    effect: DecisionEffect,
    former: dict[str, Any] | None,
    written: WrittenEntries,
) -> DecisionBatch | None:
    """Store the request, so that a repetition has no effect and the request can be undone."""
    if not decision.request.request_id:
        return None
    return DecisionBatch.objects.create(
        build=decision.build,
        decided_by_id=decision.decider.id,
        request_id=decision.request.request_id,
        digest=decision.request.digest,
        first_entry=written.first,
        last_entry=written.last,
        before=former,
        result=vars(effect),
    )


def _pairs_after(
    pairs: Mapping[tuple[str, str], int],
    shots: Sequence[SelectedShot],
    request: DecisionRequest,
    removals: Sequence[str],
) -> Mapping[tuple[str, str], int]:
    after = "" if request.decision == CLEARED else request.decision
    changes = [(shot.diff_state, shot.review_decision, after) for shot in shots]
    return pairs_after(pairs, [*changes, *[(REMOVED, "", APPROVED)] * len(removals)])


def _notify(decision: _Decision, result: DecisionResult) -> None:
    """Queue notifications to the Git provider; the last write of a decision."""
    build, request = decision.build, decision.request
    rejection = None
    if request.decision == REJECTED:
        rejection = _find_rejection(decision, result.written)
    if not result.has_effect and rejection is None:
        return
    if request.decision == CLEARED:
        notify_withdrawals(build)
    notify_hosts(build, rejection=rejection)


def _write_rejection(decision: _Decision, first: int, count: int) -> Rejection:
    """Write the comment to its thread; return the rejection for the pull request's comment."""
    comment = decision.request.comment
    if not comment.strip():
        return Rejection(first, comment)
    decider = decision.decider
    entry = ReviewEntry.objects.select_related("build").get(pk=first)
    author = Author(decider.id, decider.name, decider.client)
    written = write_rejection(entry, author, count - 1)
    mentioned, _ = mentioned_in(decision.build.repository.organization_id, written.text)
    store_mentions(written.thread, mentioned)
    publish_comment(decision.build, written, mentioned)
    posted = find_earlier_rejection(written) if count == 1 else None
    # One comment for all screenshots.
    return Rejection(posted or first, comment)


def _find_rejection(decision: _Decision, written: WrittenEntries) -> Rejection | None:
    if written.count and written.first is not None:
        return _write_rejection(decision, written.first, written.count)
    single = decision.request.selection.single
    return find_unposted_rejection(Screenshot.objects.get(pk=single)) if single else None
