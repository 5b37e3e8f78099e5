"""Comments on the review page."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.extended import comment
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.actions.thread_results import thread_target
from visual_review.audit.log import Change
from visual_review.builds.threads.writing import (
    comment_of,
    edit_comment,
    require_text,
    resolve_thread,
    thread_of,
)

COMMENT_EDITED = "comment.edited"
COMMENT_DELETED = "comment.deleted"
RESOLVED = "thread.resolved"
REOPENED = "thread.reopened"


class EditCommentInput(ActionInput):
    """``text`` is the new one; empty to delete the comment."""

    comment_id: str
    text: str


class EditCommentResult(ActionResult):
    id: str


def _edit_comment(caller: Caller, values: EditCommentInput) -> Outcome[EditCommentResult]:
    """Change or delete a comment of the caller's own."""
    comment = comment_of(caller.organization_id, values.comment_id)
    text = require_text(values.text) if values.text else ""
    result = EditCommentResult(id=comment.pk)
    if text and text == comment.text:
        return Outcome(result)
    edit_comment(comment, caller.id, text)
    change = Change(
        COMMENT_EDITED if text else COMMENT_DELETED,
        thread_target(comment.thread),
        before={"comment": comment.pk, "text": comment.text},
        after={"comment": comment.pk, "text": text},
    )
    return Outcome(result, (change,))


class ResolveThreadInput(ActionInput):
    thread_id: str
    resolved: bool


class ResolveThreadResult(ActionResult):
    id: str


def _resolve_thread(caller: Caller, values: ResolveThreadInput) -> Outcome[ResolveThreadResult]:
    """Resolve a thread, or reopen a resolved one."""
    thread = thread_of(caller.organization_id, values.thread_id)
    result = ResolveThreadResult(id=thread.pk)
    if not resolve_thread(thread, caller.name, resolved=values.resolved):
        return Outcome(result)
    verb = RESOLVED if values.resolved else REOPENED
    return Outcome(result, (Change(verb, thread_target(thread)),))


ACTIONS = (
    Operation(
        name="write_comment",
        permission=BUILDS_VIEW,
        input=comment.Input,
        run=comment.run,
        verbs=(comment.VERB,),
    ),
    Operation(
        name="edit_comment",
        permission=BUILDS_VIEW,
        input=EditCommentInput,
        run=_edit_comment,
        verbs=(COMMENT_EDITED, COMMENT_DELETED),
    ),
    Operation(
        name="resolve_thread",
        permission=BUILDS_VIEW,
        input=ResolveThreadInput,
        run=_resolve_thread,
        verbs=(RESOLVED, REOPENED),
    ),
)
