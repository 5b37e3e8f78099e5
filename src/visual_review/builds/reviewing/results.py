"""The result of a decision, kept for a request with an id so that the request can be sent again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from visual_review.builds.models import Build, DecisionBatch
from visual_review.builds.queries import count_by_state_and_decision
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.plan import RejectionCount, SelectedShot
from visual_review.builds.reviewing.requests import DecisionRequest
from visual_review.builds.reviewing.writes import WrittenEntries
from visual_review.kernel.errors import ConflictError

REQUEST_USED: Final = (
    "This request id was already used for another decision on the build. Use a new one."
)


@dataclass(frozen=True)
class DecisionEffect:
    """The effect of the request. ``before`` and ``after`` are the build's review states."""

    before: str
    after: str
    decided: int
    # The request approved the build, or the build was approved already.
    finalized: bool = False
    version: int | None = None
    # The number of accepted screenshots of an approved build.
    accepted_removals: int = 0
    accepted_failures: int = 0
    rolled_back: bool = False
    still_baseline: bool = False


@dataclass(frozen=True)
class DecisionResult:
    """The result of a request, with the build in its current state."""

    build: Build
    effect: DecisionEffect
    # The current number of screenshots of the build by diff state and decision.
    pairs: Mapping[tuple[str, str], int]
    # The stored request, None for a request without an id.
    batch: DecisionBatch | None = None
    # The screenshots of the request, in their earlier state.
    shots: Sequence[SelectedShot] = ()
    # The rejections replaced by an approval.
    overridden: Sequence[RejectionCount] = ()
    # An earlier request had the effect, and this request had none.
    is_repeated: bool = False
    # The entries of this very request in the review log.
    written: WrittenEntries = field(default_factory=WrittenEntries)

    @property
    def has_effect(self) -> bool:
        """Whether this very request changed anything."""
        effect = self.effect
        creates_version = effect.version is not None
        changed = bool(effect.decided) or creates_version or effect.before != effect.after
        return changed and not self.is_repeated


def find_repeated(
    build: Build, decider: Decider, request: DecisionRequest
) -> DecisionResult | None:
    """Return the result of the same earlier request; ConflictError if the requests differ."""
    if not request.request_id:
        return None
    return find_kept(build, decider, request.request_id, request.digest)


def find_kept(
    build: Build, decider: Decider, request_id: str, digest: str
) -> DecisionResult | None:
    batch = DecisionBatch.objects.filter(
        build=build, decided_by_id=decider.id, request_id=request_id
    ).first()
    if batch is None:
        return None
    if batch.digest != digest:
        raise ConflictError(REQUEST_USED)
    return read_result(batch, build, count_by_state_and_decision(build))


def read_result(
    batch: DecisionBatch, build: Build, pairs: Mapping[tuple[str, str], int]
) -> DecisionResult:
    """Return the result of an earlier request, with the build in its current state."""
    return DecisionResult(build, _decode(batch.result), pairs, batch, is_repeated=True)


def _decode(stored: dict[str, Any]) -> DecisionEffect:
    # Of another version of the service, a result may have more.
    names = {each.name for each in fields(DecisionEffect)}
    return DecisionEffect(**{name: value for name, value in stored.items() if name in names})
