"""Delivers the waiting messages of one stream of the outbox: for a pull request, or a commit.

Delivering a message twice does no harm: its content is compared with the posted content, and before
posting a comment, the job searches for the comment's hidden marker.
"""

import logging
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from django.db.models import Case, F, Min, Q, Value, When
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.models import HostMessage
from visual_review.builds.notifying.outbox import (
    DELIVER_NOTIFICATIONS,
    DELIVER_NOTIFICATIONS_LATER,
    DROPPED,
    FAILED,
    NO_COMMENTS,
    SENT,
    STATUS,
    WAITING,
    enqueue_notification,
)
from visual_review.hosts.errors import (
    HostBusyError,
    HostDeclinedError,
    HostMissingError,
    HostResponseError,
)
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, open_account_host
from visual_review.jobs.hosts.calls.message_content import post_message
from visual_review.jobs.hosts.calls.posted_messages import PostedMessage, SkippedMessage
from visual_review.kernel.clock import now
from visual_review.kernel.locks import Lease, take_lease
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository

# More than a week, at the longest pause.
MOST_ATTEMPTS: Final = 1500
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(minutes=10)
FAILED_PAUSE: Final = timedelta(hours=1)
PROBLEM_PAUSE: Final = timedelta(hours=1)
LOCK_RETRY_SECONDS: Final = 5
# Longer than a message takes, with its retries.
LEASE_SECONDS: Final = 60
NO_ACCOUNT: Final = "The repository is no longer connected to a Git provider."
# Only for our own errors, such as a lost database: errors of providers are stored, not raised.
RETRY = RetryStrategy(max_attempts=8, exponential_wait=2)

logger = logging.getLogger(__name__)


@app.task(name=DELIVER_NOTIFICATIONS, queue="hosts", retry=RETRY)
def deliver_notifications(repository_id: str, stream: str) -> None:
    # The queue's lock serializes the jobs of a stream, except one whose worker seemed dead.
    with take_lease(f"{DELIVER_NOTIFICATIONS}:{repository_id}:{stream}", LEASE_SECONDS) as lease:
        if lease is not None:
            _deliver_stream(repository_id, stream, lease)
        else:
            _schedule_delivery(repository_id, stream, LOCK_RETRY_SECONDS)


@app.task(name=DELIVER_NOTIFICATIONS_LATER, queue="hosts", retry=RETRY)
def deliver_notifications_later(repository_id: str, stream: str) -> None:
    """Enqueue a delivery. A separate job: the delivery's lock would delay changes meanwhile."""
    enqueue_notification(repository_id, [stream])


def _deliver_stream(repository_id: str, stream: str, lease: Lease) -> None:
    repository = (
        Repository.objects.select_related("host_account")
        .filter(pk=repository_id, removed_at=None)
        .first()
    )
    if repository is None:
        return
    waiting = HostMessage.objects.filter(repository=repository, stream=stream, state=WAITING)
    _drop_unwanted(repository, list(waiting))
    if repository.host_problem:
        # The repository's name may belong to another owner by now, who must not see the messages.
        # The repository may also return.
        waiting.update(next_try_at=now() + PROBLEM_PAUSE, failure=repository.host_problem)
    due = waiting.filter(Q(next_try_at=None) | Q(next_try_at__lte=now()))
    # Statuses first: merging waits for statuses.
    in_order = sorted(due, key=lambda message: (message.kind != STATUS, message.id))
    _deliver_all(repository, in_order, lease)
    later: datetime | None = waiting.aggregate(Min("next_try_at"))["next_try_at__min"]
    if later is not None:
        _schedule_delivery(
            repository_id, stream, max(1, round((later - now()).total_seconds() + 0.5))
        )


def _drop_unwanted(repository: Repository, waiting: list[HostMessage]) -> None:
    """Drop unwanted messages for good, even if the setting changes back later."""
    for message in waiting:
        if repository.host_account is None:
            _finish(message, DROPPED, NO_ACCOUNT)
        elif message.kind != STATUS and not repository.posts_comments:
            _finish(message, DROPPED, NO_COMMENTS)


def _deliver_all(repository: Repository, messages: list[HostMessage], lease: Lease) -> None:
    account = repository.host_account
    while messages and account is not None:
        try:
            with open_account_host(account) as host:
                while messages:
                    if not lease.renew():
                        # The process was suspended for so long that another process delivers.
                        return
                    _record_outcome(messages[0], post_message(host, repository, messages[0]))
                    messages.pop(0)
        except (*ACCOUNT_ERRORS, HostMissingError) as error:
            # A person must act on this message. Other messages can still be sent.
            _mark_failed(messages.pop(0), str(error))
        except (HostBusyError, HostResponseError) as error:
            if not _is_declined(error):
                _postpone(messages, error)
                return
            _mark_failed(messages.pop(0), str(error))


def _is_declined(error: HostBusyError | HostResponseError) -> bool:
    """Return whether only this message was rejected, for example for too many statuses."""
    # A conflict with another change at the same moment is temporary.
    return isinstance(error, HostDeclinedError) and error.status != HTTPStatus.CONFLICT


def _record_outcome(message: HostMessage, outcome: PostedMessage | SkippedMessage) -> None:
    if isinstance(outcome, SkippedMessage):
        _finish(message, DROPPED, outcome.reason)
        return
    HostMessage.objects.filter(pk=message.pk).update(
        sent_content=outcome.content,
        reference=outcome.reference,
        sent_revision=message.revision,
        # A later change is sent by its own job.
        state=Case(When(revision=message.revision, then=Value(SENT)), default=F("state")),
        attempts=0,
        failure="",
        next_try_at=None,
        sent_at=now(),
    )


def _finish(message: HostMessage, state: str, reason: str) -> None:
    HostMessage.objects.filter(pk=message.pk, revision=message.revision).update(
        state=state, failure=reason, next_try_at=None
    )


def _mark_failed(message: HostMessage, reason: str) -> None:
    """Mark the message as failed; the sweep retries a few times: some rejections are temporary."""
    HostMessage.objects.filter(pk=message.pk, revision=message.revision).update(
        state=FAILED,
        failure=reason,
        attempts=F("attempts") + 1,
        next_try_at=now() + FAILED_PAUSE,
    )


def _postpone(messages: list[HostMessage], error: HostBusyError | HostResponseError) -> None:
    """Postpone all messages, which keeps their order behind the failed message."""
    until = error.until if isinstance(error, HostBusyError) else None
    first = messages[0]
    if first.attempts + 1 >= MOST_ATTEMPTS:
        logger.error("gave up delivering %s", first)
        _mark_failed(first, f"Given up after {MOST_ATTEMPTS} attempts. {error}")
        messages = messages[1:]
    rows = HostMessage.objects.filter(pk__in=[message.pk for message in messages])
    pause_ends = now() + retry_pause(first.attempts)
    rows.filter(state=WAITING).update(
        # Some providers always allow an immediate retry, which would use up the attempts in an
        # hour.
        next_try_at=max(until or pause_ends, pause_ends),
        attempts=F("attempts") + 1,
        failure=str(error),
    )


def retry_pause(attempts: int) -> timedelta:
    """Return the pause after so many failed attempts: doubling, at most 10 minutes."""
    return min(FIRST_PAUSE * (1 << min(attempts, 16)), LONGEST_PAUSE)


def _schedule_delivery(repository_id: str, stream: str, seconds: int) -> None:
    # One run per stream is enough: a run that comes too early schedules the next.
    enqueue(
        DELIVER_NOTIFICATIONS_LATER,
        once=f"{DELIVER_NOTIFICATIONS_LATER}:{repository_id}:{stream}",
        delay_seconds=seconds,
        repository_id=repository_id,
        stream=stream,
    )
