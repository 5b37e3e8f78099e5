"""request_review: ask members to review the builds of a branch."""

from typing import Annotated

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.identifiers import BuildId
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.builds.audit_targets import build_target
from visual_review.builds.notifying.events import publish_requested
from visual_review.builds.queries import build_of
from visual_review.builds.reviewers import request_reviewers, reviewers_of

VERB = "review.requested"
MOST_REVIEWERS = 20
Reviewer = Annotated[str, Field(max_length=300)]


class Input(ActionInput):
    build_id: BuildId
    reviewers: list[Reviewer] = Field(
        min_length=1,
        max_length=MOST_REVIEWERS,
        description="Names or email addresses of members.",
        examples=[["Alice Smith"]],
    )


class Result(ActionResult):
    """Who is asked to review the branch now; nothing is decided by it."""

    asked: list[str] = Field(
        description="Who was not asked before this call.", examples=[["Alice Smith"]]
    )
    unknown: list[str] = Field(description="What names no member.", examples=[[]])
    reviewers: list[str] = Field(
        description="Everyone who is asked, for this build and later builds of the branch.",
        examples=[["Alice Smith", "Bob Brown"]],
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    build = build_of(caller.organization_id, values.build_id)
    found = request_reviewers(build, values.reviewers, caller.name)
    names = [each.name for each in reviewers_of(build)]
    asked = list(found.asked.values())
    result = Result(asked=asked, unknown=found.unknown, reviewers=names)
    if not found.asked:
        return Outcome(result)
    publish_requested(build, found, caller.name)
    return Outcome(result, (Change(VERB, build_target(build), after={"reviewers": asked}),))


ACTION = Action(
    name="request_review",
    title="Ask for a review",
    permission=BUILDS_REVIEW,
    description="Asks members to review the builds of a branch. Decides nothing.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
)
