"""The outbox: notifications to the Git provider, queued in the transaction of the change.

Messages have no text here: a job writes the text at the time of sending, from current data. Each
change increments a revision, so a change during a delivery is delivered next.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet

from visual_review.builds.models import Build, HostMessage
from visual_review.builds.states import COMPLETED, PUBLISHED, UNREVIEWED
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.kernel.queue import QueuedJob, enqueue_jobs
from visual_review.repositories.models import HostAccount, Repository

# The name of the status over all products of a commit.
SUMMARY: Final = "visual-review"
# Commits of a fork without a pull request are not the repository's.
FORK_WITHOUT_PULL_REQUEST: Final = Q(pull_request=None) & ~Q(head_repository="")
# Rows are locked in the given order. The change may fix the reason of a rejection by the provider,
# so a failed message is sent again without waiting. Its stream never changes.
_QUEUE_MESSAGES: Final = """
INSERT INTO builds_hostmessage (
    id, repository_id, kind, subject, stream, commit, context, pull_request, review_entry_id,
    next_try_at, revision, told_revision, reference, state, attempts, failure, changed_at
)
SELECT message.*, 1, 0, '', 'waiting', 0, '', %s
FROM unnest(
    %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[],
    %s::varchar[], %s::integer[], %s::bigint[], %s::timestamptz[]
) AS message
ON CONFLICT (repository_id, kind, subject) DO UPDATE SET
    revision = builds_hostmessage.revision + 1, state = excluded.state,
    failure = excluded.failure, next_try_at = excluded.next_try_at,
    changed_at = excluded.changed_at
RETURNING stream, next_try_at
"""
MESSAGE_UNKNOWN: Final = "There is no message with this id."
NOT_CONNECTED: Final = (
    "This repository is not connected to a Git provider, so nothing can be sent. "
    "Connect an account in the settings under 'Git provider'."
)
COMMENTS_OFF: Final = (
    "Comments are turned off in this repository's settings. Turn them on, then send again."
)


def context_of(product_key: str) -> str:
    """Return the name of a product's status."""
    return f"{SUMMARY}/{product_key}"


def _is_fork_without_pull_request(build: Build) -> bool:
    return build.pull_request is None and bool(build.head_repository)


def queue_messages(messages: Sequence[HostMessage]) -> list[tuple[str, datetime | None]]:
    """Insert the messages, or increase the revisions of messages with the same subjects.

    Returns the stream of each message, and the earliest time of its delivery, if delayed.
    """
    columns = zip(
        *(
            (
                row.pk,
                row.repository_id,
                row.kind,
                row.subject,
                row.stream,
                row.commit,
                row.context,
                row.pull_request,
                row.review_entry_id,
                row.next_try_at,
            )
            for row in messages
        ),
        strict=True,
    )
    with connection.cursor() as cursor:
        cursor.execute(_QUEUE_MESSAGES, [now(), *map(list, columns)])
        rows: list[tuple[str, datetime | None]] = cursor.fetchall()
    return rows


DELIVER_NOTIFICATIONS: Final = "tell_host"
DELIVER_NOTIFICATIONS_LATER: Final = "tell_host_later"
STATUS: Final = "status"
COMMENT: Final = "comment"
REJECTION: Final = "rejection"
LOCK_ORDER: Final = (REJECTION, STATUS, COMMENT)
WAITING: Final = "waiting"
SENT: Final = "sent"
FAILED: Final = "failed"
DROPPED: Final = "dropped"
NO_COMMENTS: Final = "Comments are turned off in the repository's settings."
# Older builds are updated with their next change.
MAX_WAITING_BUILDS: Final = 200
# The change may fix the reason of a rejection by the provider, so the message does not wait.
REQUEUED_VALUES: Final[dict[str, object]] = {"state": WAITING, "failure": "", "next_try_at": None}


def is_notified(repository: Repository) -> bool:
    """Return whether the provider is notified about ``repository``.

    Not if the provider no longer has the repository, or if its name may belong to another by now.
    """
    return repository.host_account_id is not None and not repository.host_problem


@dataclass(frozen=True)
class Rejection:
    """A reviewer's comment; ``entry`` is the first of its rejections in the review log."""

    entry: int
    comment: str


def notify_hosts(*builds: Build, rejection: Rejection | None = None) -> None:
    """Queue the commit statuses and pull request comments for the builds.

    ``rejection`` belongs to the first build. Call last, and once, in each transaction that changes
    builds: messages are always locked after the builds, and in the same order.
    """
    for repository, group in groupby(builds, lambda build: build.repository):
        if is_notified(repository):
            messages = [message for build in group for message in _messages_for(build)]
            if rejection and rejection.comment.strip() and repository.posts_comments:
                messages += _rejection_messages(builds[0], rejection)
            _queue_messages(repository, messages)


def _rejection_messages(build: Build, rejection: Rejection) -> list[HostMessage]:
    """Return the comment on a rejection, posted a bit later."""
    if _is_fork_without_pull_request(build):
        return []
    message = HostMessage(
        repository=build.repository,
        kind=REJECTION,
        subject=str(rejection.entry),
        stream=_stream_of(build),
        commit=build.commit,
        pull_request=build.pull_request,
        review_entry_id=rejection.entry,
        next_try_at=now() + _rejection_delay(),
    )
    return [message]


def _rejection_delay() -> timedelta:
    """Return how long a comment waits, so that a rejection undone at once is never posted."""
    return timedelta(seconds=settings.REJECTION_DELAY_SECONDS)


def enqueue_notification(repository_id: str, streams: Iterable[str]) -> None:
    """Enqueue jobs to deliver the streams; jobs of one stream run one after another."""
    enqueue_jobs(_delivery(repository_id, stream) for stream in streams)


def _delivery(repository_id: str, stream: str) -> QueuedJob:
    # Each change gets its own job: a waiting job may read the rows before this transaction commits.
    # If an earlier job has sent the message, the later job does nothing.
    return QueuedJob(
        DELIVER_NOTIFICATIONS,
        {"repository_id": repository_id, "stream": stream},
        lock=f"{DELIVER_NOTIFICATIONS}:{repository_id}:{stream}",
    )


def _later_delivery(repository_id: str, stream: str) -> QueuedJob:
    # Without a queueing lock: a job scheduled for much later may be waiting.
    return QueuedJob(
        DELIVER_NOTIFICATIONS_LATER,
        {"repository_id": repository_id, "stream": stream},
        delay_seconds=round(_rejection_delay().total_seconds()),
    )


def notify_waiting_reviews(repository: Repository) -> None:
    """Queue the newest builds awaiting a review, or without captures, after a setting changed."""
    nothing_captured = Q(
        pull_request__isnull=False,
        changed_count=0,
        new_count=0,
        failed_count=0,
        unchanged_count=F("inherited_count"),
    )
    waiting = Build.objects.filter(
        Q(review_state=UNREVIEWED) | nothing_captured,
        repository=repository,
        status=COMPLETED,
        superseded_by=None,
    )
    rows = list(waiting.select_related("product").order_by("-number")[:MAX_WAITING_BUILDS])
    for build in rows:
        build.repository = repository
    notify_hosts(*rows)


def drop_comments(repository: Repository) -> None:
    """Drop waiting comments, so that turning comments on again does not post old comments."""
    # Locked after statuses, as everywhere.
    HostMessage.objects.filter(
        repository=repository, kind__in=(COMMENT, REJECTION), state=WAITING
    ).update(state=DROPPED, failure=NO_COMMENTS, next_try_at=None)


def clear_delivered(repository: Repository) -> None:
    """Forget the sent content before another account is connected: nothing exists there.

    Above all the ids of comments: the same id may be someone else's comment there.
    """
    HostMessage.objects.filter(repository=repository).exclude(
        sent_content__isnull=True, reference=""
    ).update(sent_content=None, reference="")


def requeue_message(message: HostMessage, **values: object) -> None:
    """Queue one message again and write ``values`` to its row."""
    HostMessage.objects.filter(pk=message.pk).update(
        **{**REQUEUED_VALUES, "changed_at": now(), **values}, revision=F("revision") + 1
    )
    enqueue_notification(message.repository_id, [message.stream])


def requeue_rejection(message: HostMessage) -> None:
    """Queue an unposted comment, because its rejection stands again."""
    requeue_message(message, next_try_at=now() + _rejection_delay())
    enqueue_jobs([_later_delivery(message.repository_id, message.stream)])


def _messages_for(build: Build) -> list[HostMessage]:
    if _is_fork_without_pull_request(build):
        return []
    found = [
        _status_message(build, context_of(build.product.key)),
        _status_message(build, SUMMARY),
    ]
    number, repository = build.pull_request, build.repository
    if number is not None and build.status in PUBLISHED and repository.posts_comments:
        found.append(_comment_message(repository, number))
    return found


def _queue_messages(repository: Repository, wanted: Iterable[HostMessage]) -> None:
    by_subject = {(LOCK_ORDER.index(message.kind), message.subject): message for message in wanted}
    # Rows are always locked in the same order.
    in_order = [message for _, message in sorted(by_subject.items(), key=lambda item: item[0])]
    if not in_order:
        return
    # Several messages of a stream need one job now, and one for delayed messages.
    queued = dict.fromkeys((stream, due is None) for stream, due in queue_messages(in_order))
    enqueue_jobs(
        (_delivery if is_due else _later_delivery)(repository.id, stream)
        for stream, is_due in queued
    )


def _status_message(build: Build, context: str) -> HostMessage:
    return HostMessage(
        repository=build.repository,
        kind=STATUS,
        subject=f"{build.commit} {context}",
        stream=_stream_of(build),
        commit=build.commit,
        context=context,
        pull_request=build.pull_request,
    )


def _comment_message(repository: Repository, number: int) -> HostMessage:
    return HostMessage(
        repository=repository,
        kind=COMMENT,
        subject=str(number),
        stream=f"pr:{number}",
        pull_request=number,
    )


def _stream_of(build: Build) -> str:
    if build.pull_request is not None:
        return f"pr:{build.pull_request}"
    return f"commit:{build.commit}"


def outbox_of(repository: Repository, state: str = "") -> QuerySet[HostMessage]:
    """Return the messages, last changed first; in one state or in all."""
    rows = HostMessage.objects.filter(repository=repository).order_by("-changed_at", "-id")
    return rows.filter(state=state) if state else rows


def outbox_counts(repository: Repository) -> dict[str, int]:
    """Return how many messages are waiting and how many failed."""
    rows = HostMessage.objects.filter(repository=repository)
    return {state: rows.filter(state=state).count() for state in (WAITING, FAILED)}


def messages_of(build: Build) -> list[HostMessage]:
    """Return the messages, sent or not, about the build's commit and pull request."""
    rows = HostMessage.objects.filter(repository=build.repository)
    found = list(rows.filter(kind=STATUS, commit=build.commit).order_by("context"))
    if build.pull_request is not None:
        found += rows.filter(kind=COMMENT, subject=str(build.pull_request))
    return found


def send_again(repository: Repository, message_id: str) -> HostMessage:
    """Send a message again as if it were new; existing comments are edited.

    Raises NotFoundError, also for another repository's; ConflictError if nothing can be sent.
    """
    message = HostMessage.objects.filter(repository=repository, pk=message_id).first()
    if message is None:
        raise NotFoundError(MESSAGE_UNKNOWN)
    if repository.host_account_id is None:
        raise ConflictError(NOT_CONNECTED)
    if repository.host_problem:
        raise ConflictError(repository.host_problem)
    if message.kind != STATUS and not repository.posts_comments:
        raise ConflictError(COMMENTS_OFF)
    requeue_message(message, sent_content=None, attempts=0)
    return message


def send_failed_again(account: HostAccount) -> int:
    """Send all failed messages again, after an account was fixed; return how many."""
    failed = HostMessage.objects.filter(
        repository__host_account=account, repository__removed_at=None, state=FAILED
    )
    # Locked rows are being changed right now, and are sent because of the change.
    rows = list(failed.select_for_update(skip_locked=True, of=("self",)).order_by("pk"))
    for message in rows:
        requeue_message(message, attempts=0)
    return len(rows)
