"""Publish events: written, with their deliveries, in the transaction of what happened."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Final

from django.db.models import Q

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.messages.models import Channel, Delivery, Event

VERSION: Final = 1
BUILD_NEEDS_REVIEW: Final = "build.needs_review"
BUILD_DECIDED: Final = "build.decided"
CAPTURE_UNSTABLE: Final = "capture.unstable"
COMMENT_CREATED: Final = "comment.created"
REVIEW_REQUESTED: Final = "review.requested"
TYPES: Final = {
    BUILD_NEEDS_REVIEW: "A build needs a review",
    BUILD_DECIDED: "A build was approved or rejected",
    CAPTURE_UNSTABLE: "Screenshots of a build were unstable",
    COMMENT_CREATED: "Someone commented on a screenshot",
    REVIEW_REQUESTED: "Someone was asked for a review",
}
# Chats get what people act on, never each decision.
CHAT_TYPES: Final = (BUILD_NEEDS_REVIEW, BUILD_DECIDED)
WAITING: Final = "waiting"
SENT: Final = "sent"
FAILED: Final = "failed"
DELIVER: Final = "deliver_messages"
DELIVER_LATER: Final = "deliver_messages_later"


def has_channels(organization_id: str) -> bool:
    """Return whether any channel of the organization gets events, before they are written."""
    return Channel.objects.filter(organization=organization_id).exists()


def publish_event(
    kind: str, organization_id: str, build_id: str, data: Mapping[str, Any]
) -> Event | None:
    """Write an event of a build for each channel that wants it; none without such a channel.

    A paused channel gets the event once an admin resumes it. ``data`` has the ``repository`` and
    ``branch`` that channels are limited by.
    """
    channels = [
        each
        for each in Channel.objects.filter(organization=organization_id)
        if wants(each, kind, data)
    ]
    if not channels:
        return None
    event = Event.objects.create(
        organization_id=organization_id, type=kind, stream=build_id, data=dict(data)
    )
    Delivery.objects.bulk_create(Delivery(event=event, channel=each) for each in channels)
    # A receiver that is down has a job for later: 100,000 events must not be 100,000 jobs.
    enqueue_deliveries(each for each in channels if _is_due(each))
    return event


def _is_due(channel: Channel) -> bool:
    is_left_alone = channel.retry_at is not None and channel.retry_at > now()
    return channel.paused_at is None and not is_left_alone


def enqueue_deliveries(channels: Iterable[Channel], delay_seconds: int = 0) -> None:
    """Enqueue one job for each channel, which sends all that waits there."""
    for channel in channels:
        job = DELIVER_LATER if delay_seconds else DELIVER
        enqueue(
            job,
            lock=f"{DELIVER}:{channel.pk}",
            # A job that waits already may read the rows before this transaction commits.
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
    """Return what may be sent now: the oldest waiting delivery of each build, oldest first."""
    waiting = Delivery.objects.filter(channel=channel, state=WAITING)
    heads = waiting.order_by("event__stream", "event").distinct("event__stream")
    due = waiting.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=moment), pk__in=heads.values("pk")
    )
    return list(due.select_related("event").order_by("event")[:most])
