"""approve_build: approve a build, whose screenshots become the branch's baseline."""

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
from visual_review.builds.states import APPROVED

VERB = "build.approved"


class Input(ActionInput):
    build_id: BuildId


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    result = decide_whole_build(caller, values.build_id, APPROVED)
    return Outcome(DecidedResult.of(result), decision_change(VERB, result, {}))


ACTION = Action(
    name="approve_build",
    title="Approve a build",
    permission=BUILDS_REVIEW,
    description="Approves a build: every changed, new and removed screenshot, rejected ones "
    "too, and its failures. It becomes its branch's baseline at once.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(VERB,),
    # The previous baseline is replaced, without removed stories.
    hints=Hints(destructive=True),
    result_in_example={
        "reviewState": "approved",
        "finalized": True,
        "decidedScreenshots": 3,
        "baselineMove": 13,
        "openScreenshots": 0,
        "screenshot": None,
    },
)
