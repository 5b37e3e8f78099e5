"""undo_decision: undo the caller's own decision on screenshots."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecisionBatchResult,
    decider_of,
    decision_change,
)
from visual_review.actions.internal.decide_screenshots import RequestId
from visual_review.actions.schema import ActionInput
from visual_review.builds.reviewing.undo import undo

VERB = "decision.undone"


class Input(ActionInput):
    """``requestId`` is new for each undo, and the same when it is sent again."""

    build_id: str
    request_id: RequestId
    decision_id: str


def run(caller: Caller, values: Input) -> Outcome[DecisionBatchResult]:
    result = undo(
        caller.organization_id,
        values.build_id,
        values.request_id,
        values.decision_id,
        decider_of(caller),
    )
    changes = decision_change(VERB, result, {"undone": values.decision_id})
    return Outcome(DecisionBatchResult.of(result), changes)


ACTION = Action(
    name="undo_decision",
    title="Undo a decision",
    permission=BUILDS_REVIEW,
    description="Undoes the caller's own decision: the screenshots are as they were before it. "
    "Not possible after someone decided since, or once the build is approved.",
    input=Input,
    result=DecisionBatchResult,
    run=run,
    verbs=(VERB,),
    # The review log keeps undone decisions.
    hints=Hints(destructive=False),
)
