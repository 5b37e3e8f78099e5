"""Channels: created, changed, removed by admins; their secrets and deliveries."""

import base64
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.db.models import QuerySet

from visual_review.kernel.clock import now
from visual_review.kernel.encryption import decrypt, encrypt
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.messages.event_types import CHAT_TYPES, TYPES
from visual_review.messages.events import WAITING, enqueue_deliveries
from visual_review.messages.formats import KINDS, SECRET_PREFIX, WEBHOOK
from visual_review.messages.models import Channel, Delivery

CHANNEL_UNKNOWN: Final = "There is no channel with this id."
DELIVERY_UNKNOWN: Final = "There is no delivery with this id."
PAUSED: Final = (
    "This channel is paused, because its receiver failed for a day. Press 'Send now' on the page "
    "'Messages' once the receiver works; everything that waits is sent then."
)
URL_LENGTH: Final = 2000
MOST_CHANNELS: Final = 50
# For so long the former secret also signs, so a receiver can change over to the new one.
OVERLAP: Final = timedelta(hours=24)


@dataclass(frozen=True)
class ChannelValues:
    """An admin's choices; ``repository_id`` and ``branch`` are empty for all."""

    kind: str
    url: str
    types: Sequence[str]
    repository_id: str = ""
    branch: str = ""


def channel_of(organization_id: str, channel_id: str) -> Channel:
    """Return the channel; raises NotFoundError, also for another organization's."""
    row = shared_channels(organization_id).filter(pk=channel_id).first()
    if row is None:
        raise NotFoundError(CHANNEL_UNKNOWN)
    return row


def shared_channels(organization_id: str) -> QuerySet[Channel]:
    """Return the channels managed by admins, without the mailboxes of members."""
    return Channel.objects.filter(organization=organization_id, user=None)


def create_channel(organization_id: str, values: ChannelValues) -> tuple[Channel, str]:
    """Create a channel; return the channel and the secret of a webhook, shown only once.

    Raises InvalidInputError, and ConflictError for too many channels.
    """
    url = parse_url(values.url)
    allowed = TYPES if values.kind == WEBHOOK else CHAT_TYPES
    types = [each for each in allowed if each in values.types]
    if values.kind not in KINDS or not types:
        raise InvalidInputError("Choose where to send to, and at least one event for it.")
    if shared_channels(organization_id).count() >= MOST_CHANNELS:
        raise ConflictError(f"An organization has at most {MOST_CHANNELS} channels. Remove one.")
    secret = _new_secret() if values.kind == WEBHOOK else ""
    channel = Channel.objects.create(
        organization_id=organization_id,
        kind=values.kind,
        url=encrypt(values.url),
        host=url.netloc.rpartition("@")[2],
        secret=encrypt(secret) if secret else "",
        repository_id=values.repository_id,
        branch=values.branch,
        types=types,
    )
    return channel, secret


def rotate_secret(channel: Channel) -> str:
    """Return a new secret; the old secret also signs requests for a day."""
    if channel.kind != WEBHOOK:
        raise ConflictError("Only a webhook has a secret.")
    secret = _new_secret()
    channel.former_secret, channel.former_until = channel.secret, now() + OVERLAP
    channel.secret = encrypt(secret)
    channel.save(update_fields=["secret", "former_secret", "former_until"])
    return secret


def signing_secrets(channel: Channel) -> list[str]:
    """Return the secrets signing a request now, the newest first."""
    is_former_valid = channel.former_until is not None and channel.former_until > now()
    return [
        decrypt(each) for each in (channel.secret, channel.former_secret)[: 1 + is_former_valid]
    ]


def resume_channel(channel: Channel) -> None:
    """Send the waiting deliveries immediately, also if the channel was paused."""
    values = {"paused_at": None, "failing_since": None, "failures": 0, "retry_at": None}
    Channel.objects.filter(pk=channel.pk).update(**values)
    Delivery.objects.filter(channel=channel, state=WAITING).update(
        next_try_at=None, first_try_at=None, attempts=0
    )
    enqueue_deliveries([channel])


def send_again(organization_id: str, delivery_id: int) -> Delivery:
    """Send an event to its channel again, with the same id.

    Raises NotFoundError, and ConflictError while the channel is paused.
    """
    shared = shared_channels(organization_id)
    rows = Delivery.objects.filter(channel__in=shared, pk=delivery_id)
    delivery = rows.select_related("channel").first()
    if delivery is None:
        raise NotFoundError(DELIVERY_UNKNOWN)
    if delivery.channel.paused_at is not None:
        raise ConflictError(PAUSED)
    rows.update(state=WAITING, next_try_at=None, first_try_at=None, attempts=0)
    enqueue_deliveries([delivery.channel])
    return delivery


def parse_url(text: str) -> SplitResult:
    """Return the parts of a channel's URL; raises InvalidInputError."""
    problem = ""
    try:
        url = urlsplit(text)
        if url.scheme not in {"https", "http"} or not url.hostname or url.fragment:
            problem = "it must begin with https:// and a host"
        elif not (text.isascii() and text.isprintable()) or " " in text or len(text) > URL_LENGTH:
            problem = f"it has spaces, other characters or more than {URL_LENGTH}"
        elif url.port == 0 or url.username:
            problem = "it must have no user and a port that exists"
    except ValueError as error:
        problem = str(error)
    if problem:
        raise InvalidInputError(f"The URL cannot be used: {problem}.")
    return url


def _new_secret() -> str:
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
