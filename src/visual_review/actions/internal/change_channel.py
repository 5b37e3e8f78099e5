"""change_channel: remove a channel, resume a paused one, or rotate a channel's secret."""

from typing import Literal

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.internal.create_channel import channel_target
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.messages.channels import channel_of, resume_channel, rotate_secret

VERBS = {
    "remove": "channel.removed",
    "resume": "channel.resumed",
    "rotate": "channel.secret_rotated",
}


class Input(ActionInput):
    channel_id: str
    operation: Literal["remove", "resume", "rotate"]


class Result(ActionResult):
    """``secret`` is the new one, shown once; empty after the other operations."""

    secret: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    channel = channel_of(caller.organization_id, values.channel_id)
    change = Change(VERBS[values.operation], channel_target(channel))
    secret = ""
    if values.operation == "rotate":
        secret = rotate_secret(channel)
    elif values.operation == "resume":
        resume_channel(channel)
    else:
        channel.delete()
    return Outcome(Result(secret=secret), (change,))


ACTION = Action(
    name="change_channel",
    title="Change a channel",
    permission=REPOS_MANAGE,
    description="Removes a channel with what waits for it, resumes a paused one, or rotates the "
    "secret of a webhook.",
    input=Input,
    result=Result,
    run=run,
    verbs=tuple(VERBS.values()),
    hints=Hints(destructive=True, idempotent=False, open_world=True),
    secret_result=True,
)
