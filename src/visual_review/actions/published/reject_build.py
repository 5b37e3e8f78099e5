"""reject_build: reject a build, without accepting its visual changes."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecidedResult,
    decide_whole_build,
    decision_change,
)
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput
from visual_review.builds.states import REJECTED

VERB = "build.rejected"


class Input(ActionInput):
    build_id: BuildId


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    result = decide_whole_build(caller, values.build_id, REJECTED)
    return Outcome(DecidedResult.of(result), decision_change(VERB, result, {}))


ACTION = Action(
    name="reject_build",
    title="Reject a build",
    permission=BUILDS_REVIEW,
    description="Rejects a build: every changed, new and removed screenshot, approved ones too. "
    "No baseline moves.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(VERB,),
    # No baseline changes, and the review log keeps every replaced decision.
    hints=Hints(destructive=False),
    result_in_example={
        "reviewState": "rejected",
        "decidedScreenshots": 3,
        "openScreenshots": 0,
        "screenshot": None,
        "warnings": [],
    },
)
