"""create_channel: have events sent to a webhook, to Slack or to Microsoft Teams."""

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.permissions import REPOS_MANAGE
from visual_review.actions.action import Action, Hints, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.messages.channels import ChannelValues, create_channel
from visual_review.messages.models import Channel
from visual_review.repositories.names import BRANCH_LENGTH
from visual_review.repositories.queries import repository_of

VERB = "channel.created"


class Input(ActionInput):
    """``repositoryId`` and ``branch`` (a pattern, as of files) are empty for all."""

    kind: str
    url: str
    types: list[str]
    repository_id: str = ""
    branch: str = Field(default="", max_length=BRANCH_LENGTH)


class Result(ActionResult):
    """``secret`` is shown once; empty for chats."""

    id: str
    secret: str


def run(caller: Caller, values: Input) -> Outcome[Result]:
    if values.repository_id:
        repository_of(caller.organization_id, values.repository_id)
    channel, secret = create_channel(
        caller.organization_id, ChannelValues(**values.model_dump(by_alias=False))
    )
    # The URL of a chat is a secret.
    after = {"types": channel.types, "repository": channel.repository_id, "branch": channel.branch}
    change = Change(VERB, channel_target(channel), after=after)
    return Outcome(Result(id=channel.pk, secret=secret), (change,))


def channel_target(channel: Channel) -> Target:
    return Target("channel", channel.pk, str(channel))


ACTION = Action(
    name="create_channel",
    title="Create a channel",
    permission=REPOS_MANAGE,
    description="Sends events of the organization's builds to a URL.",
    input=Input,
    result=Result,
    run=run,
    verbs=(VERB,),
    hints=Hints(idempotent=False, open_world=True),
    secret_result=True,
)
