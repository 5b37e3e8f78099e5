"""write_comment: comment on the review page, where everyone may who may view."""

from visual_review.accounts.permissions import BUILDS_VIEW
from visual_review.actions.action import Action
from visual_review.actions.extended import comment

ACTION = Action(
    name="write_comment",
    title="Comment",
    permission=BUILDS_VIEW,
    description="Begins a thread on a screenshot, or replies in one.",
    input=comment.Input,
    result=comment.Result,
    run=comment.run,
    verbs=(comment.VERB,),
)
