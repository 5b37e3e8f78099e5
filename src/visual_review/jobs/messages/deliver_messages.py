"""Sends the waiting events of one channel: each build's events in order, up to a failure.

An event may arrive twice, with the same id, after a lost response or a killed worker. Every event
arrives at least once, unless its channel fails for a whole day.
"""

import http.client
import logging
import time
from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, send_mail
from django.db.models import F, Min, Q
from procrastinate.contrib.django import app

from visual_review.accounts.members import admins_of
from visual_review.accounts.models import Membership, User
from visual_review.kernel.clock import now
from visual_review.kernel.connections import release_connection
from visual_review.kernel.encryption import DecryptionError, decrypt
from visual_review.kernel.outbound import OutboundError, OutboundRequest, send_to_host
from visual_review.messages.channels import signing_secrets
from visual_review.messages.events import (
    DELIVER,
    DELIVER_LATER,
    FAILED,
    SENT,
    VERSION,
    WAITING,
    enqueue_deliveries,
    next_deliveries,
)
from visual_review.messages.formats import WEBHOOK, EventFacts, chat_request, webhook_request
from visual_review.messages.mailboxes import unsubscribe_token, write_mail
from visual_review.messages.models import Channel, Delivery, Event

REQUEST_SECONDS: Final = 10.0
RESPONSE_BYTES: Final = 2000
# Other channels of the organization get their turn after so many requests or seconds.
AT_ONCE: Final = 100
RUN_SECONDS: Final = 30.0
# A receiver with failures for so many builds in a row is down; the next event is sent later.
MOST_FAILURES: Final = 3
FIRST_PAUSE: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(hours=1)
GIVE_UP_AFTER: Final = timedelta(hours=24)
KEEP_FOR: Final = timedelta(days=30)
logger = logging.getLogger(__name__)
MOST_EVENTS: Final = 100


@dataclass(frozen=True)
class Attempt:
    """``status`` is the response's status; without a response, ``failure`` says why."""

    status: int | None = None
    response: str = ""
    failure: str = ""

    @property
    def succeeded(self) -> bool:
        return self.status is not None and HTTPStatus(200) <= self.status < HTTPStatus(300)


@app.task(name=DELIVER, queue="messages")
def deliver_messages(organization_id: str, channel_id: str) -> None:
    deliver(organization_id, channel_id)


@app.task(name=DELIVER_LATER, queue="messages")
def deliver_messages_later(organization_id: str, channel_id: str) -> None:
    deliver(organization_id, channel_id)


def deliver(organization_id: str, channel_id: str) -> None:
    """Send the due events; enqueue a later run for the others."""
    rows = Channel.objects.filter(organization=organization_id, pk=channel_id)
    channel = rows.select_related("user").first()
    if channel is None or channel.paused_at is not None:
        return
    if channel.retry_at is None or channel.retry_at <= now():
        if channel.user is None:
            _send_due(channel)
        elif not send_mail_to(channel, channel.user):
            _wait_for_receiver(channel)
    _schedule(channel)


def pause_after(failures: int) -> timedelta:
    """Return the pause after so many failures in a row: doubling, at most an hour."""
    return min(FIRST_PAUSE * (1 << min(failures - 1, 16)), LONGEST_PAUSE)


def _send_due(channel: Channel) -> None:
    ends, sent, failures = time.monotonic() + RUN_SECONDS, 0, 0
    while sent < AT_ONCE and time.monotonic() < ends and failures < MOST_FAILURES:
        due = next_deliveries(channel, now(), AT_ONCE)
        if not due:
            break
        for delivery in due:
            attempt = _send(channel, delivery.event)
            _record(channel, delivery, attempt)
            failures = 0 if attempt.succeeded else failures + 1
            sent += 1
            if failures >= MOST_FAILURES or sent >= AT_ONCE or time.monotonic() > ends:
                break
    if failures >= MOST_FAILURES:
        _wait_for_receiver(channel)
    _pause_after_a_day(channel)


def _send(channel: Channel, event: Event) -> Attempt:
    facts = EventFacts(event.key, event.type, VERSION, event.created_at, event.data)
    try:
        url = urlsplit(decrypt(channel.url))
        if channel.kind == WEBHOOK:
            headers, body = webhook_request(facts, signing_secrets(channel), now())
        else:
            headers, body = chat_request(channel.kind, facts)
        headers |= {"Content-Type": "application/json", "User-Agent": "visual-review"}
        request = OutboundRequest("POST", url, headers, body)
        networks = settings.MESSAGE_NETWORKS
        found = send_to_host(request, networks, REQUEST_SECONDS, RESPONSE_BYTES)
    except (OutboundError, DecryptionError) as error:
        return Attempt(failure=str(error))
    except (OSError, ValueError, http.client.HTTPException) as error:
        return Attempt(failure=f"No complete response: {str(error) or type(error).__name__}")
    text = found.body[:RESPONSE_BYTES].decode(errors="replace").replace("\0", "")
    return Attempt(found.status, text)


def _record(channel: Channel, delivery: Delivery, attempt: Attempt) -> None:
    moment = now()
    first = delivery.first_try_at or moment
    values = {"status": attempt.status, "response": attempt.response, "failure": attempt.failure}
    rows = Delivery.objects.filter(pk=delivery.pk)
    if attempt.succeeded:
        rows.update(state=SENT, sent_at=moment, attempts=F("attempts") + 1, **values)
        if channel.failing_since is not None:
            channel.failing_since, channel.failures, channel.retry_at = None, 0, None
            channel.save(update_fields=["failing_since", "failures", "retry_at"])
        return
    # Other events arrived since the event's first attempt, so the receiver works and refuses only
    # this event.
    refuses = channel.failing_since is None or channel.failing_since > first
    if channel.failing_since is None:
        channel.failing_since = moment
        channel.save(update_fields=["failing_since"])
    rows.update(
        state=FAILED if refuses and moment - first > GIVE_UP_AFTER else WAITING,
        attempts=F("attempts") + 1,
        first_try_at=first,
        next_try_at=moment + pause_after(delivery.attempts + 1),
        **values,
    )


def _wait_for_receiver(channel: Channel) -> None:
    """Pause a receiver that seems to be down."""
    channel.failures += 1
    channel.retry_at = now() + pause_after(channel.failures)
    channel.save(update_fields=["failures", "retry_at"])


def _pause_after_a_day(channel: Channel) -> None:
    """Send nothing more after a day of failures, and mail the admins."""
    since = channel.failing_since
    if since is None or now() - since <= GIVE_UP_AFTER:
        return
    channel.paused_at = now()
    channel.save(update_fields=["paused_at"])
    logger.error("channel %s failed for a day and is paused", channel.pk)
    admins = [each.email for each in admins_of(channel.organization_id)]
    text = (
        f"Messages to {channel.host} failed for a day, so none are sent any more. Nothing is lost: "
        f"once the receiver works, press 'Send now' on {settings.PUBLIC_URL}/messages."
    )
    subject = f"[Visual Review] Messages to {channel.host} are paused"
    try:
        send_mail(subject, text, None, admins)
    except OSError as error:
        logger.warning("the admins could not be mailed: %s", error)


def _schedule(channel: Channel) -> None:
    waiting = Delivery.objects.filter(channel=channel, state=WAITING)
    if channel.paused_at is not None or not waiting.exists():
        return
    due = channel.retry_at
    if due is None and not next_deliveries(channel, now(), 1):
        due = waiting.aggregate(Min("next_try_at"))["next_try_at__min"]
    seconds = 0 if due is None else max(1, round((due - now()).total_seconds() + 0.5))
    enqueue_deliveries([channel], seconds)


# An event and its job are stored together. A job can still be lost: deleted by hand, for example.
@app.periodic(cron="*/5 * * * *")
@app.task(name="resume_messages", queue="upkeep", queueing_lock="resume_messages")
def resume_messages(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    """Enqueue channels with waiting events, and delete old events."""
    due = Q(next_try_at=None) | Q(next_try_at__lte=now())
    waiting = Delivery.objects.filter(due, state=WAITING, channel__paused_at=None)
    channels = Channel.objects.filter(pk__in=waiting.values("channel"))
    enqueue_deliveries(channels)
    Event.objects.filter(created_at__lt=now() - KEEP_FOR).delete()


def send_mail_to(channel: Channel, user: User) -> bool:
    """Send one mail with all due events; return False if the mail server did not accept the mail.

    Someone who is not a member any more gets nothing. Mail waits while no server is configured.
    """
    waiting = Delivery.objects.filter(channel=channel, state=WAITING)
    members = Membership.objects.filter(organization=channel.organization_id, user=user)
    if not user.is_active or not members.exists():
        waiting.delete()
        return True
    due = Q(next_try_at=None) | Q(next_try_at__lte=now())
    deliveries = list(waiting.filter(due).select_related("event").order_by("event")[:MOST_EVENTS])
    if not deliveries:
        return True
    if not settings.EMAIL_CONFIGURED:
        return False
    message = _compose(channel, user, deliveries)
    rows = Delivery.objects.filter(pk__in=[each.pk for each in deliveries])
    release_connection()
    try:
        message.send()
    except OSError as error:
        logger.warning("mail to %s could not be sent: %s", channel.pk, error)
        rows.update(failure=str(error))
        return False
    rows.update(state=SENT, sent_at=now(), failure="")
    Channel.objects.filter(pk=channel.pk).update(failures=0, retry_at=None)
    channel.failures, channel.retry_at = 0, None
    return True


def _compose(channel: Channel, user: User, deliveries: list[Delivery]) -> EmailMessage:
    subject, text = write_mail([each.event for each in deliveries])
    unsubscribe = f"{settings.PUBLIC_URL}/account/mail/{unsubscribe_token(channel)}"
    footer = (
        f"You get this mail as a member of {channel.organization.name}. Choose what you get mail "
        f"about: {settings.PUBLIC_URL}/account/mail\nNo more mail like this: {unsubscribe}"
    )
    # Of RFC 8058: mail programs unsubscribe with one request, without a page.
    headers = {
        "List-Unsubscribe": f"<{unsubscribe}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    return EmailMessage(subject, f"{text}\n\n-- \n{footer}\n", None, [user.email], headers=headers)
