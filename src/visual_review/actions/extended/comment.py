"""comment: begin a thread on a screenshot, or reply in one."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_REVIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult, JsonInteger
from visual_review.actions.thread_results import author_of, thread_target
from visual_review.audit.log import Change
from visual_review.builds.models import Build, Comment
from visual_review.builds.notifying.events import publish_comment
from visual_review.builds.queries import builds_of, screenshot_of
from visual_review.builds.reviewers import mentioned_in
from visual_review.builds.threads.writing import (
    reply,
    require_text,
    start_thread,
    store_mentions,
    thread_of,
)
from visual_review.kernel.errors import InvalidInputError

VERB = "comment.added"
ONE_TARGET = "Name either a screenshot, to begin a thread, or a thread, to reply in it."


class Point(ActionInput):
    """A point of the image, in pixels."""

    x: JsonInteger = Field(description="From the left.", examples=[120])
    y: JsonInteger = Field(description="From the top.", examples=[48])


class Input(ActionInput):
    text: str = Field(
        description="Markdown. `@` and a member's name mentions them.",
        examples=["The hover color is lost in dark."],
    )
    screenshot_id: str | None = Field(
        default=None,
        description="Where a thread begins.",
        examples=["shot_01jq3v8e6m5x0c2n9d4t7r1kzc"],
    )
    thread_id: str | None = Field(
        default=None,
        description="Or the thread of a reply.",
        examples=["thread_01jq3v8e6m5x0c2n9d4t7r1kzd"],
    )
    place: Point | None = Field(default=None, description="Pixel that a new thread is about.")


class Result(ActionResult):
    """The comment, which exists once however often the same request is sent."""

    thread_id: str = Field(
        description="The thread's id.", examples=["thread_01jq3v8e6m5x0c2n9d4t7r1kzd"]
    )
    comment_id: str = Field(
        description="The comment's id.", examples=["comment_01jq3v8e6m5x0c2n9d4t7r1kze"]
    )
    mentioned: list[str] = Field(
        description="Names of the mentioned members.", examples=[["Alice Smith"]]
    )
    unknown: list[str] = Field(
        description="What follows an `@` and names no member, who is not notified.", examples=[[]]
    )


def run(caller: Caller, values: Input) -> Outcome[Result]:
    text = require_text(values.text)
    comment, is_new = _write(caller, values, text)
    mentioned, unknown = mentioned_in(caller.organization_id, text)
    result = Result(
        thread_id=comment.thread_id,
        comment_id=comment.pk,
        mentioned=list(mentioned.values()),
        unknown=list(unknown),
    )
    if not is_new:
        return Outcome(result)
    store_mentions(comment.thread, mentioned)
    if (build := _build_of(caller, comment)) is not None:
        publish_comment(build, comment, mentioned)
    after = {"comment": comment.pk, "text": text}
    return Outcome(result, (Change(VERB, thread_target(comment.thread), after=after),))


def _build_of(caller: Caller, comment: Comment) -> Build | None:
    """Return the newest build of the thread's branch; None if all were deleted."""
    thread = comment.thread
    rows = builds_of(caller.organization_id).filter(
        product=thread.product_id, head_repository=thread.head_repository, branch=thread.branch
    )
    return rows.select_related("repository", "product").order_by("-pk").first()


def _write(caller: Caller, values: Input, text: str) -> tuple[Comment, bool]:
    author = author_of(caller)
    if values.thread_id is not None and values.screenshot_id is None:
        if values.place:
            raise InvalidInputError("A reply has the place of its thread. Leave the place out.")
        return reply(thread_of(caller.organization_id, values.thread_id), author, text)
    if values.screenshot_id is None or values.thread_id is not None:
        raise InvalidInputError(ONE_TARGET)
    shot = screenshot_of(caller.organization_id, values.screenshot_id)
    place = values.place.model_dump() if values.place else None
    return start_thread(shot, author, text, place)


ACTION = Action(
    name="comment",
    title="Comment on a screenshot",
    # People may comment who may view; a program also needs permission to change something.
    permission=BUILDS_REVIEW,
    description="Begins a thread or replies in one. Decides nothing.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    optional_in_example=("screenshot_id", "place"),
)
