"""Posts the comment on a rejection, and marks the comment as withdrawn after an undo."""

from typing import Any, Final

from visual_review.builds.models import HostMessage, ReviewEntry
from visual_review.builds.notifying.comments import rejection_comment
from visual_review.builds.notifying.markup import comment_marker
from visual_review.builds.notifying.outbox import requeue_message
from visual_review.builds.notifying.repeated_comments import find_same_comment
from visual_review.builds.notifying.statuses import truncate_line
from visual_review.builds.notifying.summaries import rejection
from visual_review.builds.notifying.withdrawals import (
    LATER,
    WITHDRAWN,
    WITHDRAWN_BEFORE,
    entries_of_comment,
    shows_withdrawal,
)
from visual_review.builds.threads.reading import later_rejections
from visual_review.hosts.port import Host
from visual_review.jobs.hosts.calls.posted_messages import (
    NO_BUILD,
    PostedMessage,
    SkippedMessage,
    mark_doubtful,
)
from visual_review.repositories.models import Repository

REPEATED: Final = "The same comment on the same screenshots is there already."
NO_PULL_REQUEST: Final = "No open pull request has this commit."


def post_rejection(
    host: Host, repository: Repository, message: HostMessage
) -> PostedMessage | SkippedMessage:
    entries = ReviewEntry.objects.select_related("build", "screenshot")
    entry = entries.filter(pk=message.review_entry_id or 0).first()
    if entry is None:
        return SkippedMessage(NO_BUILD)
    later = later_rejections(entry)
    withdrawn = shows_withdrawal(entry, later)
    if _shows(message, len(later), withdrawn=withdrawn):
        return PostedMessage(message.told or {}, message.reference)
    if message.told is None and not withdrawn and (same := find_same_comment(message, entry)):
        _show_again(same)
        return SkippedMessage(REPEATED)
    number = message.pull_request or _find_pull_request(host, repository, message)
    if number is None:
        return SkippedMessage(NO_PULL_REQUEST)
    marker = comment_marker(message.kind, message.id)
    more = len(entries_of_comment(entry)) - 1
    body = rejection_comment(marker, rejection(entry, more=more, withdrawn=withdrawn, later=later))
    content: dict[str, Any] = {"title": truncate_line(entry.comment), "body": body}
    if withdrawn:
        content[WITHDRAWN] = True
    if later:
        content[LATER] = len(later)
    # Search even if no comment is known: the response may have been lost.
    found = host.find_comment(repository.full_name, number, marker)
    if found is None:
        return _post_anew(host, repository, message, PostedMessage(content), number)
    if found.body != body:
        mark_doubtful(message)
        host.edit_comment(repository.full_name, number, found.id, body)
    return PostedMessage(content, found.id)


def _show_again(message: HostMessage) -> None:
    """Queue the comment again if the comment says that its rejection was withdrawn."""
    if message.told is not None and message.told.get(WITHDRAWN):
        requeue_message(message)


def _post_anew(
    host: Host, repository: Repository, message: HostMessage, wanted: PostedMessage, number: int
) -> PostedMessage | SkippedMessage:
    if WITHDRAWN in wanted.content:
        return SkippedMessage(WITHDRAWN_BEFORE)
    if message.told is not None:
        # Someone deleted the comment at the provider, and the change was not rejected anew.
        return PostedMessage(wanted.content, message.reference)
    comment = host.add_comment(repository.full_name, number, wanted.content["body"])
    return PostedMessage(wanted.content, comment.id)


def _shows(message: HostMessage, later: int, *, withdrawn: bool) -> bool:
    """Return whether the provider is known to show the comment in this state."""
    told = message.told
    if told is None or "doubtful" in told:
        return False
    return (bool(told.get(WITHDRAWN)), told.get(LATER, 0)) == (withdrawn, later)


def _find_pull_request(host: Host, repository: Repository, message: HostMessage) -> int | None:
    numbers = host.find_pull_requests(repository.full_name, message.commit)
    if not numbers:
        return None
    # Stored before anything is posted: the next attempt must look in the same place.
    HostMessage.objects.filter(pk=message.pk).update(pull_request=numbers[0])
    return numbers[0]
