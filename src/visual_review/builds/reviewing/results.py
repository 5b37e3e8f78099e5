"""The result of a decision; that of a request with an id is kept, so that it can be sent again."""

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
    """What the request did. ``before`` and ``after`` are the build's review states.

    ``finalized``: the build is approved by it, or was already. ``accepted_removals`` and
    ``accepted_failures`` count screenshots of an approved build.
    """

    before: str
    after: str
    decided: int
    finalized: bool = False
    version: int | None = None
    accepted_removals: int = 0
    accepted_failures: int = 0
    rolled_back: bool = False
    still_baseline: bool = False


@dataclass(frozen=True)
class DecisionResult:
    """``batch`` is the stored request, None for one without an id.

    ``pairs``: how many screenshots of the build have each diff state and decision now. ``shots``
    are the screenshots that the request was about, as they were before. ``overridden`` are the
    rejections that an approval replaced. ``is_repeated``: an earlier request had this effect, and
    this one had none. ``written`` are the entries of this very request in the review log.
    """

    build: Build
    effect: DecisionEffect
    pairs: Mapping[tuple[str, str], int]
    batch: DecisionBatch | None = None
    shots: Sequence[SelectedShot] = ()
    overridden: Sequence[RejectionCount] = ()
    is_repeated: bool = False
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
    """Return the result of the same request, sent before; ConflictError if it was another one."""
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
    """Return the result that an earlier request had, with the build as it is now."""
    return DecisionResult(build, _decode(batch.result), pairs, batch, is_repeated=True)


def _decode(stored: dict[str, Any]) -> DecisionEffect:
    # Of another version of the service, a result may have more.
    names = {each.name for each in fields(DecisionEffect)}
    return DecisionEffect(**{name: value for name, value in stored.items() if name in names})
