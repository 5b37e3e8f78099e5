"""Tells a source host what waits in one stream of the outbox: a pull request, or a commit.

Every message may be told twice at most in vain: its words are compared with what was told, and
comments carry a hidden mark that is looked for before anything is posted.
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
from visual_review.jobs.hosts.calls.account_calls import ACCOUNT_ERRORS, calling_host
from visual_review.jobs.hosts.calls.message_content import NothingToPost, Told, tell
from visual_review.kernel.advisory_locks import advisory_lock
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository

DELIVER_NOTIFICATIONS_LATER: Final = "tell_host_later"
# A week and more, at the longest pause.
MOST_ATTEMPTS: Final = 1500
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(minutes=10)
FAILED_PAUSE: Final = timedelta(hours=1)
PROBLEM_PAUSE: Final = timedelta(hours=1)
LOCK_RETRY_SECONDS: Final = 5
NO_ACCOUNT: Final = "The repository has no account at a source host any more."
# Troubles of ours alone, a lost database say: those of hosts are noted and never raised.
RETRY = RetryStrategy(max_attempts=8, exponential_wait=2)

logger = logging.getLogger(__name__)


@app.task(name=DELIVER_NOTIFICATIONS, queue="hosts", retry=RETRY)
def deliver_notifications(repository_id: str, stream: str) -> None:
    # The queue's lock keeps jobs of a stream apart, but not from one whose worker seemed dead.
    with advisory_lock(f"{DELIVER_NOTIFICATIONS}:{repository_id}:{stream}") as mine:
        if mine:
            _deliver_stream(repository_id, stream)
        else:
            _wake(repository_id, stream, LOCK_RETRY_SECONDS)


@app.task(name=DELIVER_NOTIFICATIONS_LATER, queue="hosts", retry=RETRY)
def deliver_notifications_later(repository_id: str, stream: str) -> None:
    """Come back to a stream. Apart from the telling: its lock would hold up what changes meanwhile."""
    enqueue_notification(repository_id, [stream])


def _deliver_stream(repository_id: str, stream: str) -> None:
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
        # Its name may be another's there by now, who must not read of it. It may come back, too.
        waiting.update(next_try_at=now() + PROBLEM_PAUSE, failure=repository.host_problem)
    due = waiting.filter(Q(next_try_at=None) | Q(next_try_at__lte=now()))
    # Statuses first: they are what merging waits for.
    _deliver_all(repository, sorted(due, key=lambda message: (message.kind != STATUS, message.id)))
    later: datetime | None = waiting.aggregate(Min("next_try_at"))["next_try_at__min"]
    if later is not None:
        _wake(repository_id, stream, max(1, round((later - now()).total_seconds() + 0.5)))


def _drop_unwanted(repository: Repository, waiting: list[HostMessage]) -> None:
    """Let go of what must not be told any more, also when the setting changes again later."""
    for message in waiting:
        if repository.host_account is None:
            _end(message, DROPPED, NO_ACCOUNT)
        elif message.kind != STATUS and not repository.posts_comments:
            _end(message, DROPPED, NO_COMMENTS)


def _deliver_all(repository: Repository, messages: list[HostMessage]) -> None:
    account = repository.host_account
    while messages and account is not None:
        try:
            with calling_host(account) as host:
                while messages:
                    _note(messages[0], tell(host, repository, messages[0]))
                    messages.pop(0)
        except (*ACCOUNT_ERRORS, HostMissingError) as error:
            # A person must act on this one. The others are no worse for it.
            _fail(messages.pop(0), str(error))
        except (HostBusyError, HostResponseError) as error:
            if not _is_declined(error):
                _postpone(messages, error)
                return
            _fail(messages.pop(0), str(error))


def _is_declined(error: HostBusyError | HostResponseError) -> bool:
    """Whether the host took no offence but at this one message, too many statuses say."""
    # A conflict is with what others do there at this moment, and passes.
    return isinstance(error, HostDeclinedError) and error.status != HTTPStatus.CONFLICT


def _note(message: HostMessage, outcome: Told | NothingToPost) -> None:
    if isinstance(outcome, NothingToPost):
        _end(message, DROPPED, outcome.reason)
        return
    HostMessage.objects.filter(pk=message.pk).update(
        told=outcome.told,
        reference=outcome.reference,
        told_revision=message.revision,
        # What changed since is told by the job of that change.
        state=Case(When(revision=message.revision, then=Value(SENT)), default=F("state")),
        attempts=0,
        failure="",
        next_try_at=None,
        sent_at=now(),
    )


def _end(message: HostMessage, state: str, reason: str) -> None:
    HostMessage.objects.filter(pk=message.pk, revision=message.revision).update(
        state=state, failure=reason, next_try_at=None
    )


def _fail(message: HostMessage, reason: str) -> None:
    """The sweep tries a few times more: hosts refuse at times what they take an hour later."""
    HostMessage.objects.filter(pk=message.pk, revision=message.revision).update(
        state=FAILED,
        failure=reason,
        attempts=F("attempts") + 1,
        next_try_at=now() + FAILED_PAUSE,
    )


def _postpone(messages: list[HostMessage], error: HostBusyError | HostResponseError) -> None:
    """Keep the order: all that waits behind the one that met the trouble waits with it."""
    until = error.until if isinstance(error, HostBusyError) else None
    first = messages[0]
    if first.attempts + 1 >= MOST_ATTEMPTS:
        logger.error("gave up telling %s", first)
        _fail(first, f"Given up after {MOST_ATTEMPTS} attempts. {error}")
        messages = messages[1:]
    rows = HostMessage.objects.filter(pk__in=[message.pk for message in messages])
    pause_ends = now() + pause_after(first.attempts)
    rows.filter(state=WAITING).update(
        # Some say "at once" each time, by which the attempts would be used up within the hour.
        next_try_at=max(until or pause_ends, pause_ends),
        attempts=F("attempts") + 1,
        failure=str(error),
    )


def pause_after(attempts: int) -> timedelta:
    """How long to leave the host alone after so many attempts in vain; doubling, 10 minutes at most."""
    return min(FIRST_PAUSE * (1 << min(attempts, 16)), LONGEST_PAUSE)


def _wake(repository_id: str, stream: str, seconds: int) -> None:
    # One alarm a stream is enough: whoever wakes too early sets the next.
    enqueue(
        DELIVER_NOTIFICATIONS_LATER,
        once=f"{DELIVER_NOTIFICATIONS_LATER}:{repository_id}:{stream}",
        delay_seconds=seconds,
        repository_id=repository_id,
        stream=stream,
    )
