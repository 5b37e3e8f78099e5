"""approve_all_screenshots: approve every screenshot, and with them the build."""

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
    result = decide_whole_build(caller, values.build_id, APPROVED, unchanged=True)
    found = DecidedResult.of(result)
    if failed := result.build.failed_count:
        found.warnings.append(_describe_failures(failed))
    return Outcome(found, decision_change(VERB, result, {}))


def _describe_failures(failed: int) -> str:
    screenshots = "screenshot has" if failed == 1 else "screenshots have"
    left = "so no decision; the baseline keeps what it has there"
    return f"{failed:,} failed {screenshots} no image to decide about, {left}."


ACTION = Action(
    name="approve_all_screenshots",
    title="Approve all screenshots",
    permission=BUILDS_REVIEW,
    description="Approves a build as approve_build does, and its unchanged screenshots with it; "
    "rarely needed.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(VERB,),
    # The previous baseline is replaced, without removed stories.
    hints=Hints(destructive=True),
    result_in_example={
        "reviewState": "approved",
        "finalized": True,
        "decidedScreenshots": 240,
        "baselineMove": 13,
        "openScreenshots": 0,
        "screenshot": None,
        "warnings": [],
    },
)
