"""Decide several screenshots of a build in one request, in the caller's transaction.

The same request has one effect, however often it is sent. If it would approve the build or replace
decisions that the reviewer does not know of, an error asks for a confirmation, and nothing is written.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Baseline, Build, DecisionBatch
from visual_review.builds.notifying.outbox import Rejection, notify_hosts
from visual_review.builds.notifying.withdrawals import notify_withdrawals
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.approval_preview import FinalizeNeededError, preview_approval
from visual_review.builds.reviewing.batch_plan import BatchPlan, BuildBefore, plan_batch
from visual_review.builds.reviewing.batch_requests import FINALIZE, OVERRIDE, DecisionRequest
from visual_review.builds.reviewing.batch_results import (
    BatchEffect,
    BatchResult,
    encode_effect,
    find_repeated,
)
from visual_review.builds.reviewing.build_facts import BuildFacts, read_facts_with_request
from visual_review.builds.reviewing.decision_conflicts import (
    OverrideNeededError,
    SelectedShot,
    find_conflicts,
    shots_to_decide,
)
from visual_review.builds.reviewing.decision_writes import (
    ShotCondition,
    accept_removals,
    clear_decisions,
    create_version,
    write_decision,
)
from visual_review.builds.reviewing.former_decisions import encode_former
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    WrittenEntries,
    log_build_decision,
)
from visual_review.builds.reviewing.selected_shots import select_shots, shots_decided_since
from visual_review.builds.states import (
    CLEARED,
    REJECTED,
    counts_after,
    pairs_after,
    require_decidable,
    require_not_approved,
)


@dataclass(frozen=True)
class _Batch:
    """A request under way: its locked rows, who decides, and what it changes.

    ``selected`` are the screenshots that it is about, ``shots`` those that change.
    """

    baseline: Baseline
    build: Build
    facts: BuildFacts
    request: DecisionRequest
    decider: Decider
    selected: Sequence[SelectedShot]
    shots: Sequence[SelectedShot]
    plan: BatchPlan


def decide_batch(
    organization_id: str, build_id: str, request: DecisionRequest, decider: Decider
) -> BatchResult:
    """Carry out the request, or return the result of the same one before.

    Raises OverrideNeededError and FinalizeNeededError for what has to be confirmed, and
    ConflictError, NotFoundError or InvalidInputError for what cannot be done.
    """
    baseline, build = lock_build_of(organization_id, build_id)
    is_repeated, facts = read_facts_with_request(build, baseline, decider.id, request.request_id)
    if is_repeated and (
        repeated := find_repeated(build, decider, request.request_id, request.digest)
    ):
        return repeated
    require_decidable(build.status)
    if request.decision == CLEARED:
        require_not_approved(build.review_state)
    selected = select_shots(build, request)
    shots = shots_to_decide(selected, request)
    before = BuildBefore(build.review_state, facts.counts, facts.sets_baseline)
    plan = plan_batch(before, shots, request)
    batch = _Batch(baseline, build, facts, request, decider, selected, shots, plan)
    _require_confirmations(batch)
    return _carry_out(batch)


def _require_confirmations(batch: _Batch) -> None:
    request, build = batch.request, batch.build
    if OVERRIDE not in request.confirmed:
        changed = shots_decided_since(build, request, batch.decider.id, batch.shots)
        conflicts = find_conflicts(batch.shots, request, batch.decider.id, changed)
        if conflicts:
            raise OverrideNeededError(conflicts)
    if batch.plan.approves and FINALIZE not in request.confirmed:
        everything = request.selection.unchanged
        raise FinalizeNeededError(preview_approval(build, everything=everything))


def _carry_out(batch: _Batch) -> BatchResult:
    build, plan = batch.build, batch.plan
    before = build.review_state
    changes_build = plan.state != before
    # An approval of the build cannot be undone, and nothing needs no undo.
    undoable = not plan.approves and bool(batch.shots or changes_build)
    former = encode_former(batch.shots, build if changes_build else None) if undoable else None
    written = _write_screenshots(batch)
    last: int | None = None
    if plan.approves:
        effect, last = _approve(batch, before)
    else:
        last = _write_state(batch) if changes_build else None
        still = batch.facts.sets_baseline and batch.request.decision == REJECTED
        effect = BatchEffect(before, plan.state, len(batch.shots), still_baseline=still)
    row = DecisionBatch.objects.create(
        build=build,
        decided_by_id=batch.decider.id,
        request_id=batch.request.request_id,
        digest=batch.request.digest,
        first_entry=written.first or last,
        last_entry=last or written.last,
        before=former,
        result=encode_effect(effect),
    )
    _notify(batch, written)
    pairs = _pairs_after(batch)
    return BatchResult(row, build, effect, pairs, batch.selected, written=written)


def _pairs_after(batch: _Batch) -> Counter[tuple[str, str]]:
    """Return the build's pairs after the decision; removals that an approval accepts are not."""
    decision = "" if batch.request.decision == CLEARED else batch.request.decision
    changes = ((shot.diff_state, shot.review_decision, decision) for shot in batch.shots)
    return pairs_after(batch.facts.pairs_after(""), changes)


def _write_screenshots(batch: _Batch) -> WrittenEntries:
    build, request, decider = batch.build, batch.request, batch.decider
    if not batch.shots:
        return WrittenEntries()
    ids = ShotCondition.by_id([shot.id for shot in batch.shots])
    if request.decision == CLEARED:
        return clear_decisions(build, ids, decider)
    return write_decision(build, ids, request.decision, decider, request.comment)


def _approve(batch: _Batch, before: str) -> tuple[BatchEffect, int]:
    build, decider = batch.build, batch.decider
    whole = batch.request.selection.whole_build
    accepted = build.removed_count if whole else _accept_removals(batch)
    replaced = batch.facts.replaced_number
    done = create_version(build, batch.baseline, decider, accepted, replaced)
    effect = BatchEffect(
        before,
        build.review_state,
        len(batch.shots),
        finalized=True,
        version=done.version,
        accepted_removals=accepted,
        accepted_failures=build.failed_count,
        rolled_back=done.rolled_back,
    )
    return effect, done.entry


def _accept_removals(batch: _Batch) -> int:
    decided = (
        (shot.diff_state, shot.review_decision, batch.request.decision) for shot in batch.shots
    )
    counts = counts_after(batch.facts.counts, decided)
    return accept_removals(batch.build, batch.decider, counts)


def _write_state(batch: _Batch) -> int | None:
    """Write the build's state; log it if the request was about the build itself."""
    write_review_state(batch.build, batch.plan.state, batch.decider)
    if not batch.request.selection.whole_build:
        return None
    logged = LoggedDecision.by(batch.decider, batch.request.decision, batch.request.comment)
    return log_build_decision(batch.build, logged)


def _notify(batch: _Batch, written: WrittenEntries) -> None:
    rejection = None
    if batch.request.decision == CLEARED:
        notify_withdrawals(batch.build)
    elif batch.request.decision == REJECTED and written.first is not None:
        # One comment for all of them.
        rejection = Rejection(written.first, batch.request.comment)
    notify_hosts(batch.build, rejection=rejection)
