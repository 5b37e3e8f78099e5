"""Undo a request that decided screenshots: what was there before is there again.

The review log keeps the decisions and adds that they were undone, so that they are not carried over.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any, Final, NamedTuple

from visual_review.builds.bulk_update import update_rows
from visual_review.builds.counts import count_by_state_and_decision
from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Build, DecisionBatch, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.notifying.withdrawals import notify_withdrawals
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.batch_results import (
    BatchEffect,
    BatchResult,
    encode_effect,
    find_repeated,
)
from visual_review.builds.reviewing.decision_writes import UNDECIDED
from visual_review.builds.reviewing.former_decisions import (
    SHOT_FIELDS,
    former_build,
    former_shots,
)
from visual_review.builds.reviewing.review_log import (
    LoggedDecision,
    log_build_decision,
    log_one_decision,
)
from visual_review.builds.states import (
    CLEARED,
    UNDONE,
    pairs_after,
    require_decidable,
    require_not_approved,
    require_undecided_after_undo,
    review_after_clearing,
    review_counts,
)
from visual_review.kernel.errors import ConflictError, NotFoundError

DECISION_UNKNOWN: Final = "There is no decision with this id in the build."
NOT_YOURS: Final = "Only who made a decision can undo it. Decide again instead."
ALREADY_UNDONE: Final = "This decision is already undone."
NOT_UNDOABLE: Final = "This decision cannot be undone. Decide again instead."
COMPARED_AGAIN: Final = "The build was compared again after this decision, so it cannot be undone. Decide again instead."


def undo_batch(
    organization_id: str, build_id: str, request_id: str, batch_id: str, decider: Decider
) -> BatchResult:
    """Undo the caller's own decision, or return the result of the same request before.

    Raises ConflictError if someone decided since, or if the build is approved.
    """
    _, build = lock_build_of(organization_id, build_id)
    digest = hashlib.sha256(f"undo {batch_id}".encode()).hexdigest()
    repeated = find_repeated(build, decider, request_id, digest)
    if repeated:
        return repeated
    batch = DecisionBatch.objects.filter(build=build, pk=batch_id).first()
    if batch is None:
        raise NotFoundError(DECISION_UNKNOWN)
    require_decidable(build.status)
    require_not_approved(build.review_state)
    former = _require_undoable(batch, decider)
    shots = _decided_shots(build, batch)
    ids = {shot.id for shot in shots if shot.id is not None}
    _require_undecided_since(build, batch, ids)
    # A comparison may have replaced what was decided, and that is in no log.
    if not all(shot.is_as_logged for shot in shots):
        raise ConflictError(COMPARED_AGAIN)
    before = build.review_state
    restores_build = _restores_build(build, batch, former)
    pairs = _restore(build, former, ids, restores_build=restores_build)
    effect = BatchEffect(before, build.review_state, len(ids))
    row = DecisionBatch.objects.create(
        build=build,
        decided_by_id=decider.id,
        request_id=request_id,
        digest=digest,
        undoes=batch,
        result=encode_effect(effect),
        **_log(build, ids, decider, logs_build=restores_build),
    )
    notify_withdrawals(build)
    notify_hosts(build)
    return BatchResult(row, build, effect, pairs)


def _require_undoable(batch: DecisionBatch, decider: Decider) -> Mapping[str, Any]:
    if batch.decided_by_id != decider.id:
        raise ConflictError(NOT_YOURS)
    if DecisionBatch.objects.filter(undoes=batch).exists():
        raise ConflictError(ALREADY_UNDONE)
    if batch.before is None:
        raise ConflictError(NOT_UNDOABLE)
    former: Mapping[str, Any] = batch.before
    return former


class _DecidedShot(NamedTuple):
    """A screenshot of the decision: then, as the log has it, and now."""

    id: str | None
    decision: str
    left_image: int | None
    right_image: int | None
    decision_now: str | None
    left_image_now: int | None
    right_image_now: int | None

    @property
    def is_as_logged(self) -> bool:
        decision = "" if self.decision == CLEARED else self.decision
        then = (decision, self.left_image, self.right_image)
        now = (self.decision_now, self.left_image_now, self.right_image_now)
        return self.id is not None and then == now


def _decided_shots(build: Build, batch: DecisionBatch) -> list[_DecidedShot]:
    if batch.first_entry is None:
        return []
    entries = ReviewEntry.objects.filter(
        build=build, pk__gte=batch.first_entry, pk__lte=batch.last_entry
    ).exclude(story_id="")
    rows = entries.values_list(
        "screenshot_id",
        "decision",
        "left_image_id",
        "right_image_id",
        "screenshot__review_decision",
        "screenshot__baseline_image_id",
        "screenshot__image_id",
    )
    return [_DecidedShot(*row) for row in rows]


def _require_undecided_since(build: Build, batch: DecisionBatch, ids: Collection[str]) -> None:
    """Raise ConflictError, naming who, if a decision on these screenshots is newer."""
    later = ReviewEntry.objects.filter(build=build, pk__gt=batch.last_entry or 0)
    taken_back = _entries_taken_back(build, batch)
    rows = later.values_list("pk", "screenshot_id", "decided_by_name", "decided_by_id")
    for pk, shot_id, name, by_id in rows:
        if shot_id in ids and not any(first <= pk <= last for first, last in taken_back):
            if by_id == batch.decided_by_id:
                raise ConflictError("You decided this again since. Undo the newer decision first.")
            raise ConflictError(
                f"{name or 'Visual Review'} decided this since, so your decision cannot be undone. "
                "Decide again instead."
            )


def _entries_taken_back(build: Build, batch: DecisionBatch) -> list[tuple[int, int]]:
    """Return the ranges of later entries that were undone, and of those that undid them."""
    undos = DecisionBatch.objects.filter(
        build=build, undoes__isnull=False, first_entry__gt=batch.last_entry or 0
    ).select_related("undoes")
    return [
        (row.first_entry, row.last_entry)
        for undo in undos
        for row in (undo, undo.undoes)
        if row is not None and row.first_entry is not None and row.last_entry is not None
    ]


def _restores_build(build: Build, batch: DecisionBatch, former: Mapping[str, Any]) -> bool:
    # Someone may have changed the build's state since, which then stays.
    return former_build(former) is not None and build.review_state == batch.result["after"]


def _restore(
    build: Build, former: Mapping[str, Any], ids: Collection[str], *, restores_build: bool
) -> Counter[tuple[str, str]]:
    """Write the decisions and the build's state as before; return its diff states and decisions."""
    decided = former_shots(former)
    rows = Screenshot.objects.filter(pk__in=ids)
    changes = [
        (diff_state, decision, decided[pk].review_decision if pk in decided else "")
        for pk, diff_state, decision in rows.values_list("pk", "diff_state", "review_decision")
    ]
    pairs = pairs_after(count_by_state_and_decision(build), changes)
    counts = review_counts(pairs)
    columns = former_build(former) if restores_build else None
    state = (
        columns["review_state"] if columns else review_after_clearing(build.review_state, counts)
    )
    require_undecided_after_undo(state, counts)
    rows.exclude(pk__in=decided).update(**UNDECIDED)
    update_rows(list(decided.values()), SHOT_FIELDS)
    if columns:
        Build.objects.filter(pk=build.pk).update(**columns)
        vars(build).update(columns)
    elif state != build.review_state:
        write_review_state(build, state, Decider(source=""))
    return pairs


def _log(
    build: Build, ids: Collection[str], decider: Decider, *, logs_build: bool
) -> dict[str, int | None]:
    """Log the undo of each screenshot's decision, and of the build's; return the range."""
    undone = LoggedDecision.by(decider, UNDONE)
    written = log_one_decision(build, ids, undone)
    last = log_build_decision(build, undone) if logs_build else written.last
    return {"first_entry": written.first or last, "last_entry": last}
