"""Notes in the open transaction that something changed which the source host should know.

Nothing is said here: a job makes the words when it tells them, from what is true then. What is
noted counts a revision, so a change that comes while the host is told is told after it.
"""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from django.db.models import F

from visual_review.builds.models import Build, HostMessage, ReviewEntry
from visual_review.builds.notifying.statuses import SUMMARY, context_of
from visual_review.builds.notifying.summaries import is_foreign
from visual_review.builds.states import COMPLETED, PUBLISHED, UNREVIEWED
from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import Repository

DELIVER_NOTIFICATIONS: Final = "tell_host"
STATUS: Final = "status"
COMMENT: Final = "comment"
REJECTION: Final = "rejection"
LOCKED: Final = (REJECTION, STATUS, COMMENT)
WAITING: Final = "waiting"
SENT: Final = "sent"
FAILED: Final = "failed"
DROPPED: Final = "dropped"
NO_COMMENTS: Final = "Comments are off in the repository's settings."
# Older ones follow with their next change.
MOST_WAITING: Final = 200
# What changed may be what the host refused, so it is tried at once.
NEWS: Final[dict[str, object]] = {"state": WAITING, "failure": "", "next_try_at": None}


def is_notified(repository: Repository) -> bool:
    """Whether anything is told of ``repository``.

    Where the host has none of it, or another one may have its name by now, nothing is.
    """
    return repository.host_account_id is not None and not repository.host_problem


def notify_hosts(*builds: Build) -> None:
    """Have the statuses and the comments that these builds are part of told anew.

    To be called last, and once, in each transaction that changes builds: everybody locks these
    rows after the builds, and in the same order.
    """
    for repository, group in groupby(builds, lambda build: build.repository):
        if is_notified(repository):
            _note(repository, [message for build in group for message in _messages(build)])


def notify_pull_request(repository: Repository, number: int) -> None:
    """Have the comment of a pull request told anew, where a build was published for it."""
    published = Build.objects.filter(
        repository=repository, pull_request=number, status__in=PUBLISHED
    )
    if is_notified(repository) and repository.posts_comments and published.exists():
        _note(repository, [_comment(repository, number)])


def notify_rejection(build: Build, entry: ReviewEntry) -> None:
    """Have the words of a rejection posted where the author reads them, if there are any."""
    repository = build.repository
    if not is_notified(repository) or not repository.posts_comments or is_foreign(build):
        return
    if not entry.comment.strip():
        return
    message = HostMessage(
        repository=repository,
        kind=REJECTION,
        subject=str(entry.pk),
        stream=_stream(build),
        commit=build.commit,
        pull_request=build.pull_request,
        review_entry=entry,
    )
    _note(repository, [message])


def enqueue_notification(repository_id: str, streams: Iterable[str]) -> None:
    """Have what waits in these streams told; jobs of one stream run one after the other."""
    for stream in streams:
        # Each change has a job of its own: one that waits already may have read before this
        # transaction commits. Whatever an earlier one told leaves the later nothing to do.
        enqueue(
            DELIVER_NOTIFICATIONS,
            lock=f"{DELIVER_NOTIFICATIONS}:{repository_id}:{stream}",
            repository_id=repository_id,
            stream=stream,
        )


def notify_waiting_reviews(repository: Repository) -> None:
    """Have the newest builds told anew that wait for a review, after a setting changed."""
    waiting = Build.objects.filter(
        repository=repository, status=COMPLETED, review_state=UNREVIEWED, superseded_by=None
    )
    rows = list(waiting.select_related("product").order_by("-number")[:MOST_WAITING])
    for build in rows:
        build.repository = repository
    notify_hosts(*rows)


def drop_comments(repository: Repository) -> None:
    """Let go of the comments that wait, so that turning them on again posts none of these."""
    # After statuses, as everybody locks them.
    HostMessage.objects.filter(
        repository=repository, kind__in=(COMMENT, REJECTION), state=WAITING
    ).update(state=DROPPED, failure=NO_COMMENTS, next_try_at=None)


def clear_delivered(repository: Repository) -> None:
    """Before another account is connected: nothing of this stands at the host of that one.

    The ids of comments least of all: the same id may be another's comment there.
    """
    HostMessage.objects.filter(repository=repository).exclude(
        told__isnull=True, reference=""
    ).update(told=None, reference="")


def renew(message: HostMessage, **values: object) -> None:
    """Have one row told anew, with ``values`` written along."""
    HostMessage.objects.filter(pk=message.pk).update(
        **{**NEWS, "changed_at": now(), **values}, revision=F("revision") + 1
    )
    enqueue_notification(message.repository_id, [message.stream])


def _messages(build: Build) -> list[HostMessage]:
    if is_foreign(build):
        return []
    found = [_status(build, context_of(build.product.key)), _status(build, SUMMARY)]
    number, repository = build.pull_request, build.repository
    if number is not None and build.status in PUBLISHED and repository.posts_comments:
        found.append(_comment(repository, number))
    return found


def _note(repository: Repository, wanted: Iterable[HostMessage]) -> None:
    by_subject = {(LOCKED.index(message.kind), message.subject): message for message in wanted}
    in_order = [message for _, message in sorted(by_subject.items(), key=lambda item: item[0])]
    HostMessage.objects.bulk_create(in_order, ignore_conflicts=True)
    streams: dict[str, None] = {}
    # One by one, so that everybody locks them in the same order.
    for message in in_order:
        row = HostMessage.objects.filter(
            repository=repository, kind=message.kind, subject=message.subject
        )
        row.update(**NEWS, revision=F("revision") + 1, changed_at=now())
        streams |= dict.fromkeys(row.values_list("stream", flat=True))
    enqueue_notification(repository.id, streams)


def _status(build: Build, context: str) -> HostMessage:
    return HostMessage(
        repository=build.repository,
        kind=STATUS,
        subject=f"{build.commit} {context}",
        stream=_stream(build),
        commit=build.commit,
        context=context,
        pull_request=build.pull_request,
    )


def _comment(repository: Repository, number: int) -> HostMessage:
    return HostMessage(
        repository=repository,
        kind=COMMENT,
        subject=str(number),
        stream=f"pr:{number}",
        pull_request=number,
    )


def _stream(build: Build) -> str:
    if build.pull_request is not None:
        return f"pr:{build.pull_request}"
    return f"commit:{build.commit}"
