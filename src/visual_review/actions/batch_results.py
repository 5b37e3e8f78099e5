"""What the requests that decide several screenshots share: their result and audit entry."""

from visual_review.actions.decision_evidence import summarize_evidence
from visual_review.actions.decision_results import ROLLBACK, STILL_BASELINE
from visual_review.actions.schema import ActionResult
from visual_review.audit.log import Change, Target
from visual_review.builds.audit_targets import build_target
from visual_review.builds.review_obstacles import count_open
from visual_review.builds.reviewing.batch_results import BatchEffect, BatchResult
from visual_review.builds.states import ReviewState


class DecisionBatchResult(ActionResult):
    """What a request did, or had done when it was sent before.

    ``version`` is that of the baseline that an approval of the build created. ``acceptedRemovals``
    and ``acceptedFailures`` count screenshots of the approved build, ``openScreenshots`` the
    changed and new ones that have no decision now, ``failedScreenshots`` those that cannot have
    one. ``undoable`` is true until the build is approved.
    """

    decision_id: str
    build_id: str
    review_state: ReviewState
    decided: int
    finalized: bool
    version: int | None
    accepted_removals: int
    accepted_failures: int
    open_screenshots: int
    failed_screenshots: int
    warnings: list[str]
    undoable: bool


def batch_result(result: BatchResult) -> DecisionBatchResult:
    effect = result.effect
    return DecisionBatchResult.model_validate(
        {
            "decision_id": result.batch.id,
            "build_id": result.build.id,
            "review_state": result.build.review_state,
            "decided": effect.decided,
            "finalized": effect.finalized,
            "version": effect.version,
            "accepted_removals": effect.accepted_removals,
            "accepted_failures": effect.accepted_failures,
            "open_screenshots": count_open(result.pairs),
            "failed_screenshots": result.build.failed_count,
            "warnings": _warnings(effect),
            "undoable": result.batch.before is not None,
        }
    )


def _warnings(effect: BatchEffect) -> list[str]:
    found = []
    if effect.rolled_back:
        found.append(ROLLBACK)
    if effect.still_baseline:
        found.append(STILL_BASELINE)
    return found


def batch_change(
    verb: str, result: BatchResult, named: dict[str, object], target: Target | None = None
) -> Change:
    """Return the audit entry; ``named`` is what the request was about."""
    effect = result.effect
    return Change(
        verb,
        target or build_target(result.build),
        before={"reviewState": effect.before},
        after={
            "reviewState": effect.after,
            "screenshots": effect.decided,
            "baselineMove": effect.version,
            "decisionId": result.batch.id,
            **named,
            **summarize_evidence(result.written),
        },
    )
