"""Which decisions of others a request would overwrite; pure."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from visual_review.builds.reviewing.batch_requests import DecisionRequest
from visual_review.builds.reviewing.overridden import list_deciders
from visual_review.builds.states import APPROVED, REJECTED
from visual_review.kernel.errors import ConflictError


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
    """The request would replace decisions that the reviewer has to be asked about."""

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
    """Return the screenshots that the request changes; those decided alike keep their decider."""
    return [shot for shot in shots if _is_changed(shot, request)]


def _is_changed(shot: SelectedShot, request: DecisionRequest) -> bool:
    if request.decision not in {APPROVED, REJECTED}:
        return bool(shot.review_decision)
    if shot.review_decision != request.decision:
        return True
    # A rejection that is repeated for one screenshot may say more than the first.
    named = shot.id in request.selection.screenshots
    return named and request.comment not in {"", shot.comment}


def find_conflicts(
    shots: Iterable[SelectedShot],
    request: DecisionRequest,
    caller_id: str,
    changed_since: Collection[str],
) -> list[SelectedShot]:
    """Return the screenshots whose decision the reviewer has to be asked about.

    ``changed_since`` are those that others decided after what the reviewer had seen. Who approves
    a group, a story or the build may not have looked at the rejections in it.
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
