"""review_screenshot: approve or reject one screenshot, with an optional comment."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_evidence import summarize_evidence
from visual_review.actions.decision_results import DecidedResult, decided_result, decider_of
from visual_review.actions.identifiers import ScreenshotId
from visual_review.actions.schema import ActionInput
from visual_review.audit.log import Change, Target
from visual_review.builds.locks import lock_screenshot_of
from visual_review.builds.models import Screenshot
from visual_review.builds.reviewing.decisions import DecisionResult, review_screenshot
from visual_review.builds.states import Decision

APPROVED = "screenshot.approved"
REJECTED = "screenshot.rejected"
COMMENT_LENGTH = 10_000


class Input(ActionInput):
    screenshot_id: ScreenshotId
    state: Decision = Field(
        description="The decision. The same rejection again changes and posts nothing.",
        examples=["rejected"],
    )
    comment: str | None = Field(
        default=None,
        max_length=COMMENT_LENGTH,
        description="Why, for the author. Kept with the decision; an approval removes it.",
        examples=["The hover color is lost in dark."],
    )


def run(caller: Caller, values: Input) -> Outcome[DecidedResult]:
    shot = lock_screenshot_of(caller.organization_id, values.screenshot_id)
    decided = review_screenshot(shot, values.state, values.comment, decider_of(caller))
    # The same rejection again changes nothing.
    changes = () if decided.is_repeated else (_change(shot, values, decided),)
    return Outcome(decided_result(decided), changes)


def _change(shot: Screenshot, values: Input, decided: DecisionResult) -> Change:
    return Change(
        APPROVED if values.state == "approved" else REJECTED,
        Target("screenshot", shot.id, f"{shot.story_id} {shot.theme} {shot.device}"),
        # The decision was written by a statement, so this row has the previous one.
        before={"decision": shot.review_decision or None, "buildReviewState": decided.before},
        after={
            "decision": values.state,
            "comment": values.comment,
            "buildReviewState": decided.build.review_state,
            "baselineMove": decided.version,
            **summarize_evidence(decided.written),
        },
    )


ACTION = Action(
    name="review_screenshot",
    title="Review a screenshot",
    permission=BUILDS_REVIEW,
    description="Approves or rejects one screenshot. Approving the last open changed or new one "
    "approves the build (as approve_build); a rejection finalizes nothing.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=(APPROVED, REJECTED),
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
    optional_in_example=("comment",),
    result_in_example={"warnings": []},
)
