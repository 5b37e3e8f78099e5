"""Channels for events, and the mail of a member."""

from typing import Literal

from pydantic import Field

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import User
from visual_review.accounts.permissions import BUILDS_VIEW, REPOS_MANAGE
from visual_review.actions.action import Operation, Outcome
from visual_review.actions.schema import ActionInput, ActionResult
from visual_review.audit.log import Change, Target
from visual_review.messages.channels import (
    ChannelValues,
    channel_of,
    create_channel,
    resume_channel,
    rotate_secret,
    send_again,
)
from visual_review.messages.event_types import MAIL_TYPES
from visual_review.messages.mailboxes import mailbox_of
from visual_review.messages.models import Channel
from visual_review.repositories.names import BRANCH_LENGTH
from visual_review.repositories.queries import repository_of

CHANNEL_CREATED = "channel.created"
EVENT_SENT_AGAIN = "channel.event_sent_again"
MAIL_CHANGED = "mail.changed"


class CreateChannelInput(ActionInput):
    """``repositoryId`` and ``branch`` (a pattern, as of files) are empty for all."""

    kind: str
    url: str
    types: list[str]
    repository_id: str = ""
    branch: str = Field(default="", max_length=BRANCH_LENGTH)


class CreateChannelResult(ActionResult):
    """``secret`` is shown once; empty for chats."""

    id: str
    secret: str


def _create_channel(caller: Caller, values: CreateChannelInput) -> Outcome[CreateChannelResult]:
    """Have events sent to a webhook, to Slack or to Microsoft Teams."""
    if values.repository_id:
        repository_of(caller.organization_id, values.repository_id)
    channel, secret = create_channel(
        caller.organization_id, ChannelValues(**values.model_dump(by_alias=False))
    )
    # The URL of a chat is a secret.
    after = {"types": channel.types, "repository": channel.repository_id, "branch": channel.branch}
    change = Change(CHANNEL_CREATED, channel_target(channel), after=after)
    return Outcome(CreateChannelResult(id=channel.pk, secret=secret), (change,))


def channel_target(channel: Channel) -> Target:
    return Target("channel", channel.pk, str(channel))


CHANNEL_VERBS = {
    "remove": "channel.removed",
    "resume": "channel.resumed",
    "rotate": "channel.secret_rotated",
}


class ChangeChannelInput(ActionInput):
    channel_id: str
    operation: Literal["remove", "resume", "rotate"]


class ChangeChannelResult(ActionResult):
    """``secret`` is the new one, shown once; empty after the other operations."""

    secret: str


def _change_channel(caller: Caller, values: ChangeChannelInput) -> Outcome[ChangeChannelResult]:
    """Remove a channel, resume a paused one, or rotate a channel's secret."""
    channel = channel_of(caller.organization_id, values.channel_id)
    change = Change(CHANNEL_VERBS[values.operation], channel_target(channel))
    secret = ""
    if values.operation == "rotate":
        secret = rotate_secret(channel)
    elif values.operation == "resume":
        resume_channel(channel)
    else:
        channel.delete()
    return Outcome(ChangeChannelResult(secret=secret), (change,))


class SendEventAgainInput(ActionInput):
    delivery_id: int


class SendEventAgainResult(ActionResult):
    channel_id: str


def _send_event_again(caller: Caller, values: SendEventAgainInput) -> Outcome[SendEventAgainResult]:
    """Send an event to its channel again."""
    delivery = send_again(caller.organization_id, values.delivery_id)
    change = Change(
        EVENT_SENT_AGAIN, channel_target(delivery.channel), after={"delivery": delivery.pk}
    )
    return Outcome(SendEventAgainResult(channel_id=delivery.channel_id), (change,))


class SetMailInput(ActionInput):
    """``types`` are of ``MAIL_TYPES``; without any, no mail is sent."""

    types: list[str]
    is_digest: bool


def _set_mail(caller: Caller, values: SetMailInput) -> Outcome[ActionResult]:
    """Set which mails a member gets, and whether as a daily digest."""
    user = User.objects.get(pk=caller.id)
    box = mailbox_of(caller.organization_id, user)
    before = {"types": box.types, "digest": box.is_digest}
    box.types = [each for each in MAIL_TYPES if each in values.types]
    box.is_digest = values.is_digest
    box.save(update_fields=["types", "is_digest"])
    after = {"types": box.types, "digest": box.is_digest}
    changes = (Change(MAIL_CHANGED, Target("user", user.pk, str(user)), before, after),)
    return Outcome(ActionResult(), changes if before != after else ())


ACTIONS = (
    Operation(
        name="create_channel",
        permission=REPOS_MANAGE,
        input=CreateChannelInput,
        run=_create_channel,
        verbs=(CHANNEL_CREATED,),
    ),
    Operation(
        name="change_channel",
        permission=REPOS_MANAGE,
        input=ChangeChannelInput,
        run=_change_channel,
        verbs=tuple(CHANNEL_VERBS.values()),
    ),
    Operation(
        name="send_event_again",
        permission=REPOS_MANAGE,
        input=SendEventAgainInput,
        run=_send_event_again,
        verbs=(EVENT_SENT_AGAIN,),
    ),
    Operation(
        name="set_mail",
        permission=BUILDS_VIEW,
        input=SetMailInput,
        run=_set_mail,
        verbs=(MAIL_CHANGED,),
    ),
)
