"""approve_build: approve a build, whose screenshots become the branch's baseline."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecidedResult,
    build_changes,
    decided_result,
    decider_of,
)
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput
from visual_review.builds.reviewing.decisions import approve_build

VERB = "build.approved"


class Input(ActionInput):
    build_id: BuildId


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    decided = approve_build(caller.organization_id, values.build_id, decider_of(caller))
    return Outcome(decided_result(decided), build_changes(VERB, decided))


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
    # The previous baseline is replaced, and removed stories are no longer in it.
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
