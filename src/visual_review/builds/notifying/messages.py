"""The outbox of a repository for people: sent, waiting and failed messages, and retries."""

from typing import Final

from django.db.models import QuerySet

from visual_review.builds.models import Build, HostMessage
from visual_review.builds.notifying.outbox import COMMENT, FAILED, STATUS, WAITING, requeue_message
from visual_review.kernel.errors import ConflictError, NotFoundError
from visual_review.repositories.models import HostAccount, Repository

MESSAGE_UNKNOWN: Final = "There is no message with this id."
NOT_CONNECTED: Final = (
    "This repository is not connected to a Git provider, so nothing can be sent. "
    "Connect an account in the settings under 'Git provider'."
)
COMMENTS_OFF: Final = (
    "Comments are turned off in this repository's settings. Turn them on, then send again."
)


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
    requeue_message(message, told=None, attempts=0)
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
