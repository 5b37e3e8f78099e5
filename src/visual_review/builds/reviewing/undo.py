"""Undo a request that decided screenshots: the earlier decisions are there again.

The review log keeps the decisions and adds the undo, so that the decisions are not carried over.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from visual_review.builds.bulk_update import update_rows
from visual_review.builds.locks import lock_build_of
from visual_review.builds.models import Build, DecisionBatch, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import notify_hosts
from visual_review.builds.notifying.withdrawals import notify_withdrawals
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.review_history import effective_entries
from visual_review.builds.reviewing.approval import Decider, write_review_state
from visual_review.builds.reviewing.plan import SelectedShot
from visual_review.builds.reviewing.results import DecisionEffect, DecisionResult, find_kept
from visual_review.builds.reviewing.writes import (
    UNDECIDED,
    log_undo,
)
from visual_review.builds.states import (
    CLEARED,
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

SHOT_FIELDS: Final = tuple(UNDECIDED)
BUILD_FIELDS: Final = (
    "review_state",
    "decided_by_id",
    "decided_by_name",
    "decided_client",
    "decision_source",
    "decided_at",
)
TIME: Final = "decided_at"


def undo(
    organization_id: str, build_id: str, request_id: str, batch_id: str, decider: Decider
) -> DecisionResult:
    """Undo the caller's own decision, or return the result of the same request before.

    Raises ConflictError if someone decided since, or if the build is approved.
    """
    _, build = lock_build_of(organization_id, build_id)
    digest = hashlib.sha256(f"undo {batch_id}".encode()).hexdigest()
    repeated = find_kept(build, decider, request_id, digest)
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
    # A comparison may have replaced the decided images, without any log entry.
    if not all(shot.is_as_logged for shot in shots):
        raise ConflictError(COMPARED_AGAIN)
    before = build.review_state
    restores_build = _restores_build(build, batch, former)
    pairs = _restore(build, former, ids, restores_build=restores_build)
    effect = DecisionEffect(before, build.review_state, len(ids))
    written = log_undo(build, ids, decider, batch, logs_build=restores_build)
    row = DecisionBatch.objects.create(
        build=build,
        decided_by_id=decider.id,
        request_id=request_id,
        digest=digest,
        undoes=batch,
        result=vars(effect),
        first_entry=written.first,
        last_entry=written.last,
    )
    notify_withdrawals(build)
    notify_hosts(build)
    return DecisionResult(build, effect, pairs, row)


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
    """A screenshot of the decision: at that time, in the log, and now."""

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
    """Raise ConflictError, naming the decider, if a decision on the screenshots is newer."""
    later = effective_entries().filter(build=build, pk__gt=batch.last_entry or 0)
    rows = later.values_list("screenshot_id", "decided_by_name", "decided_by_id")
    for shot_id, name, by_id in rows:
        if shot_id in ids:
            if by_id == batch.decided_by_id:
                raise ConflictError("You decided this again since. Undo the newer decision first.")
            raise ConflictError(
                f"{name or 'Visual Review'} decided this since, so your decision cannot be undone. "
                "Decide again instead."
            )


def _restores_build(build: Build, batch: DecisionBatch, former: Mapping[str, Any]) -> bool:
    # Someone may have changed the build's state since; a newer state stays.
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


def encode_former(shots: Iterable[SelectedShot], build: Build | None) -> dict[str, Any]:
    """Return the replaced decisions, and the build's state if it changes, too.

    Undecided screenshots, the majority, are left out.
    """
    return {
        "shots": {
            shot.id: [_encode(getattr(shot, name)) for name in SHOT_FIELDS]
            for shot in shots
            if shot.review_decision
        },
        "build": build and [_encode(getattr(build, name)) for name in BUILD_FIELDS],
    }


def former_shots(former: Mapping[str, Any]) -> dict[str, Screenshot]:
    """Return the decided screenshots by id, with the columns of their decision only."""
    return {
        shot_id: Screenshot(pk=shot_id, **_decode(SHOT_FIELDS, values))
        for shot_id, values in former["shots"].items()
    }


def former_build(former: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the columns of the build's former state; None if the request did not change it."""
    values = former["build"]
    return None if values is None else _decode(BUILD_FIELDS, values)


def _encode(value: Any) -> Any:  # noqa: ANN401 - A column's value.
    return value.isoformat() if isinstance(value, datetime) else value


def _decode(fields: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    decoded = dict(zip(fields, values, strict=True))
    if decoded[TIME] is not None:
        decoded[TIME] = datetime.fromisoformat(decoded[TIME])
    return decoded
