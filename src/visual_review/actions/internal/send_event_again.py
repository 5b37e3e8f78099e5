"""send_event_again: send an event to its channel again."""

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.internal.create_channel import channel_target
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change
from visual_review.messages.channels import send_again

VERB = "channel.event_sent_again"


class Input(ActionInput):
    delivery_id: int


class Result(ActionResult):
    channel_id: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    delivery = send_again(caller.organization_id, values.delivery_id)
    change = Change(VERB, channel_target(delivery.channel), after={"delivery": delivery.pk})
    return Outcome(Result(channel_id=delivery.channel_id), (change,))


ACTION = Action(
    name="send_event_again",
    title="Send an event again",
    permission=REPOS_MANAGE,
    description="Sends an event to its channel again, with the same id.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(open_world=True),
)
