"""edit_comment: change or delete a comment of the caller's own."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.actions.thread_results import thread_target
from visual_review.audit.log import Change
from visual_review.builds.threads.writing import comment_of, edit_comment, require_text

EDITED = "comment.edited"
DELETED = "comment.deleted"


class Input(ActionInput):
    """``text`` is the new one; empty to delete the comment."""

    comment_id: str
    text: str


class Result(ActionResult):
    id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    comment = comment_of(caller.organization_id, values.comment_id)
    text = require_text(values.text) if values.text else ""
    result = Result(id=comment.pk)
    if text and text == comment.text:
        return Outcome(result)
    edit_comment(comment, caller.id, text)
    change = Change(
        EDITED if text else DELETED,
        thread_target(comment.thread),
        before={"comment": comment.pk, "text": comment.text},
        after={"comment": comment.pk, "text": text},
    )
    return Outcome(result, (change,))


ACTION = Action(
    name="edit_comment",
    title="Edit or delete a comment",
    permission=BUILDS_VIEW,
    description="Replaces the text of the caller's own comment, or deletes the comment.",
    input=Input,
    result=Result,
    run=run,
    verbs=(EDITED, DELETED),
)
