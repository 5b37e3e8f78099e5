"""Publish events: written, with their deliveries, in the transaction of the reported change."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final

from django.db.models import Q

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.messages.mailboxes import find_mailboxes, next_digest
from visual_review.messages.models import Channel, Delivery, Event

VERSION: Final = 1
WAITING: Final = "waiting"
SENT: Final = "sent"
FAILED: Final = "failed"
DELIVER: Final = "deliver_messages"
DELIVER_LATER: Final = "deliver_messages_later"


def publish_event(
    kind: str,
    organization_id: str,
    stream: str,
    describe: Callable[[], Mapping[str, Any]],
    people: Mapping[str, str] | None = None,
) -> None:
    """Write an event for each channel subscribed to ``kind``; nothing without such a channel.

    A paused channel gets the event once an admin resumes the channel. ``describe`` returns the
    data, including the ``repository`` and ``branch`` for the limits of channels, and is called
    only if there are channels. ``people`` maps the ids of concerned users to the kind of mail.
    """
    channels = list(Channel.objects.filter(organization=organization_id, user=None))
    mailboxes = find_mailboxes(organization_id, people or {})
    if not channels and not mailboxes:
        return
    data = describe()
    channels = [each for each in channels if wants(each, kind, data)] + mailboxes
    if not channels:
        return
    event = Event.objects.create(
        organization_id=organization_id, type=kind, stream=stream, data=dict(data)
    )
    digest = next_digest(event.created_at)
    Delivery.objects.bulk_create(
        Delivery(event=event, channel=each, next_try_at=digest if each.is_digest else None)
        for each in channels
    )
    # A failing receiver already has a job for later: 100,000 events must not be 100,000 jobs.
    enqueue_deliveries(each for each in channels if _is_due(each))


def _is_due(channel: Channel) -> bool:
    is_left_alone = channel.retry_at is not None and channel.retry_at > now()
    return channel.paused_at is None and not is_left_alone


def enqueue_deliveries(channels: Iterable[Channel], delay_seconds: int = 0) -> None:
    """Enqueue one job for each channel; the job sends all waiting deliveries."""
    for channel in channels:
        job = DELIVER_LATER if delay_seconds else DELIVER
        enqueue(
            job,
            lock=f"{DELIVER}:{channel.pk}",
            # A waiting job may read the rows before the transaction here commits.
            once=f"{job}:{channel.pk}" if delay_seconds else None,
            delay_seconds=delay_seconds,
            organization_id=channel.organization_id,
            channel_id=channel.pk,
        )


def wants(channel: Channel, kind: str, data: Mapping[str, Any]) -> bool:
    """Return whether the channel's rules let the event through; pure."""
    repository = channel.repository_id in {"", data["repository"]["id"]}
    return (
        kind in channel.types
        and repository
        and fnmatchcase(str(data["branch"]), channel.branch or "*")
    )


def next_deliveries(channel: Channel, moment: datetime, most: int) -> list[Delivery]:
    """Return the deliveries due now: the oldest waiting delivery of each build, oldest first."""
    waiting = Delivery.objects.filter(channel=channel, state=WAITING)
    heads = waiting.order_by("event__stream", "event").distinct("event__stream")
    due = waiting.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=moment), pk__in=heads.values("pk")
    )
    return list(due.select_related("event").order_by("event")[:most])
