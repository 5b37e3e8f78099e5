"""review_screenshot: approve or reject one screenshot, with an optional comment."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.decision_results import (
    DecidedResult,
    DecidedScreenshot,
    decider_of,
    shot_target,
    summarize_evidence,
)
from visual_review.actions.identifiers import ScreenshotId
from visual_review.actions.schema import ActionInput
from visual_review.audit.log import Change
from visual_review.builds.queries import screenshot_of
from visual_review.builds.reviewing.decide import decide
from visual_review.builds.reviewing.requests import CONFIRMED, DecisionRequest, Selection
from visual_review.builds.reviewing.results import DecisionResult
from visual_review.builds.states import REJECTED, Decision

VERBS = ("screenshot.approved", "screenshot.rejected")
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
    shot = screenshot_of(caller.organization_id, values.screenshot_id)
    request = DecisionRequest(
        decision=values.state,
        selection=Selection(screenshots=(values.screenshot_id,)),
        comment=values.comment or "",
        confirmed=CONFIRMED,
    )
    result = decide(caller.organization_id, shot.build_id, request, decider_of(caller))
    return Outcome(DecidedResult.of(result, _reviewed(result, values)), _changes(result, values))


def _reviewed(result: DecisionResult, values: Input) -> DecidedScreenshot:
    (before,) = result.shots
    # Only a repeated rejection without a comment keeps the earlier comment.
    kept = before.comment if values.state == REJECTED == before.review_decision else ""
    comment = values.comment or kept or None
    return DecidedScreenshot(id=before.id, decision=values.state, comment=comment)


def _changes(result: DecisionResult, values: Input) -> tuple[Change, ...]:
    """Return the audit entry; none for the same decision again, which changes nothing."""
    if not result.has_effect:
        return ()
    (shot,) = result.shots
    change = Change(
        f"screenshot.{values.state}",
        shot_target(shot),
        before={
            "decision": shot.review_decision or None,
            "buildReviewState": result.effect.before,
        },
        after={
            "decision": values.state,
            "comment": values.comment,
            "buildReviewState": result.build.review_state,
            "baselineMove": result.effect.version,
            **summarize_evidence(result.written),
        },
    )
    return (change,)


ACTION = Action(
    name="review_screenshot",
    title="Review a screenshot",
    permission=BUILDS_REVIEW,
    description="Approves or rejects one screenshot. Approving the last open changed or new one "
    "approves the build (as approve_build); a rejection finalizes nothing.",
    input=Input,
    result=DecidedResult,
    run=run,
    verbs=VERBS,
    # The last approval changes the baseline, as approve_build does.
    hints=Hints(destructive=True),
    optional_in_example=("comment",),
    result_in_example={"warnings": []},
)
