"""The result of a request that decided screenshots; kept, so that it can be sent again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from visual_review.builds.counts import count_by_state_and_decision
from visual_review.builds.models import Build, DecisionBatch
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.decision_conflicts import SelectedShot
from visual_review.builds.reviewing.review_log import WrittenEntries
from visual_review.kernel.errors import ConflictError

REQUEST_USED: Final = (
    "This request id was already used for another decision on the build. Use a new one."
)


@dataclass(frozen=True)
class BatchEffect:
    """What the request did. ``before`` and ``after`` are the build's review states.

    ``accepted_removals`` and ``accepted_failures`` count screenshots of an approved build.
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
class BatchResult:
    """``shots`` are the screenshots that this very request was about.

    ``pairs``: how many screenshots of the build have each diff state and decision now.
    ``is_repeated``: an earlier request had this effect, and this one had none. ``written`` are
    the entries of this very request in the review log.
    """

    batch: DecisionBatch
    build: Build
    effect: BatchEffect
    pairs: Mapping[tuple[str, str], int]
    shots: Sequence[SelectedShot] = ()
    is_repeated: bool = False
    written: WrittenEntries = field(default_factory=WrittenEntries)

    @property
    def has_effect(self) -> bool:
        """Whether this very request changed anything."""
        effect = self.effect
        changed = bool(effect.decided) or effect.finalized or effect.before != effect.after
        return changed and not self.is_repeated


def find_repeated(
    build: Build, decider: Decider, request_id: str, digest: str
) -> BatchResult | None:
    """Return the result of the same request, sent before; ConflictError if it was another one."""
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
) -> BatchResult:
    """Return the result that an earlier request had, with the build as it is now."""
    return BatchResult(batch, build, _decode(batch.result), pairs, is_repeated=True)


def encode_effect(effect: BatchEffect) -> dict[str, Any]:
    return asdict(effect)


def _decode(stored: dict[str, Any]) -> BatchEffect:
    # Of another version of the service, a result may have more.
    names = {each.name for each in fields(BatchEffect)}
    return BatchEffect(**{name: value for name, value in stored.items() if name in names})
