"""What the decision actions share: who decides, the result, and the audit entry."""

from collections.abc import Mapping
from typing import Self, cast

from pydantic import PrivateAttr

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.audit.log import Change
from visual_review.builds.audit_targets import build_target
from visual_review.builds.reviewing.approval import Decider
from visual_review.builds.reviewing.decisions import DecisionResult
from visual_review.builds.states import APPROVED, ReviewState

ROLLBACK = (
    "This build is older than the one the baseline came from, so the baseline was rolled back. "
    "To undo that, approve the newer build again."
)
STILL_BASELINE = (
    "This build is the branch's current baseline, and a rejection does not change a baseline. "
    "To go back, restore an earlier version in the baseline's history or approve another build."
)


class DecidedResult(ActionResult):
    """What a decision did.

    ``finalized`` means that the build is approved and is now its branch's baseline.
    ``acceptedRemovals`` counts the removed screenshots that are no longer in it.
    """

    build_id: str
    review_state: ReviewState
    finalized: bool
    decided_screenshots: int
    accepted_removals: int
    baseline_move: int | None
    warnings: list[str]
    # How many screenshots have each diff state and decision, for texts; not published.
    _pairs: Mapping[tuple[str, str], int] = PrivateAttr(default_factory=dict)

    @property
    def pairs(self) -> Mapping[tuple[str, str], int]:
        return self._pairs

    @classmethod
    def of(cls, decided: DecisionResult, warnings: list[str]) -> Self:
        found = cls(
            build_id=decided.build.id,
            review_state=cast("ReviewState", decided.build.review_state),
            finalized=decided.finalized,
            decided_screenshots=decided.screenshots,
            accepted_removals=decided.accepted_removals if decided.finalized else 0,
            baseline_move=decided.version,
            warnings=warnings,
        )
        found._pairs = decided.pairs
        return found


def decider_of(caller: Caller) -> Decider:
    # An MCP client may use a key too, but the channel says more about who decided.
    if caller.channel == "mcp":
        source = "mcp"
    elif caller.key_id is not None:
        source = "api_key"
    else:
        source = "user"
    return Decider(source=source, id=caller.id, name=caller.name, client=caller.client)


def decided_result(decided: DecisionResult) -> DecidedResult:
    warnings = []
    if decided.rolled_back:
        warnings.append(ROLLBACK)
    # The warning is about rejections; an approval that changed nothing does not need it.
    if decided.still_baseline and decided.build.review_state != APPROVED:
        warnings.append(STILL_BASELINE)
    return DecidedResult.of(decided, warnings)


def build_change(verb: str, decided: DecisionResult) -> Change:
    return Change(
        verb,
        build_target(decided.build),
        before={"reviewState": decided.before},
        after={
            "reviewState": decided.build.review_state,
            "screenshots": decided.screenshots,
            "baselineMove": decided.version,
        },
    )
