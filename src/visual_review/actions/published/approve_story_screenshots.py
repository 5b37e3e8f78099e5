"""approve_story_screenshots: approve all changed or new variants of one story."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import DecidedResult, decider_of, decision_change
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import CONFIRMED, DecisionRequest, Selection
from visual_review.builds.states import APPROVED

VERB = "story.approved"


class Input(ActionInput):
    build_id: BuildId
    story_id: str = Field(
        description="The story's id, from get_build.", examples=["button--primary"]
    )


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    request = DecisionRequest(
        decision=APPROVED, selection=Selection(stories=(values.story_id,)), confirmed=CONFIRMED
    )
    result = decide(caller.organization_id, values.build_id, request, decider_of(caller))
    # The audit entry's target is the build, so the story is named separately.
    return Outcome(
        DecidedResult.of(result), decision_change(VERB, result, {"storyId": values.story_id})
    )


ACTION = Action(
    name="approve_story_screenshots",
    title="Approve a story's screenshots",
    permission=BUILDS_REVIEW,
    description="Approves the changed and new variants of one story. With the last open one of "
    "all stories, approves the build (as approve_build).",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(VERB,),
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
    result_in_example={"decidedScreenshots": 2, "screenshot": None, "warnings": []},
)
