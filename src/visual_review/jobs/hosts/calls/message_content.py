"""Posts one message to the Git provider, with content built from the current state."""

from typing import Any, Final, cast

from visual_review.builds.images.public_links import create_shared_link
from visual_review.builds.models import HostMessage, ReviewEntry
from visual_review.builds.notifying.comments import (
    heading_of,
    pull_request_comment,
    rejection_comment,
)
from visual_review.builds.notifying.markup import comment_marker
from visual_review.builds.notifying.outbox import (
    COMMENT,
    REJECTION,
    SUMMARY,
    context_of,
    requeue_message,
)
from visual_review.builds.notifying.repeated_comments import find_same_comment
from visual_review.builds.notifying.statuses import (
    Due,
    Status,
    product_status,
    summary_status,
    truncate_line,
    worst_of_products,
)
from visual_review.builds.notifying.summaries import (
    builds_of_commit,
    builds_of_pull_request,
    change_overview,
    product_summaries,
    rejection,
)
from visual_review.builds.notifying.withdrawals import (
    LATER,
    WITHDRAWN,
    WITHDRAWN_BEFORE,
    entries_of_comment,
    shows_withdrawal,
)
from visual_review.builds.threads.reading import later_rejections
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import Host, HostStatus
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
        return PostedMessage(message.sent_content or {}, message.reference)
    if (
        message.sent_content is None
        and not withdrawn
        and (same := find_same_comment(message, entry))
    ):
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
    if message.sent_content is not None and message.sent_content.get(WITHDRAWN):
        requeue_message(message)


def _post_anew(
    host: Host, repository: Repository, message: HostMessage, wanted: PostedMessage, number: int
) -> PostedMessage | SkippedMessage:
    if WITHDRAWN in wanted.content:
        return SkippedMessage(WITHDRAWN_BEFORE)
    if message.sent_content is not None:
        # Someone deleted the comment at the provider, and the change was not rejected anew.
        return PostedMessage(wanted.content, message.reference)
    comment = host.add_comment(repository.full_name, number, wanted.content["body"])
    return PostedMessage(wanted.content, comment.id)


def _shows(message: HostMessage, later: int, *, withdrawn: bool) -> bool:
    """Return whether the provider is known to show the comment in this state."""
    sent = message.sent_content
    if sent is None or "doubtful" in sent:
        return False
    return (bool(sent.get(WITHDRAWN)), sent.get(LATER, 0)) == (withdrawn, later)


def _find_pull_request(host: Host, repository: Repository, message: HostMessage) -> int | None:
    numbers = host.find_pull_requests(repository.full_name, message.commit)
    if not numbers:
        return None
    # Stored before anything is posted: the next attempt must look in the same place.
    HostMessage.objects.filter(pk=message.pk).update(pull_request=numbers[0])
    return numbers[0]


def post_message(
    host: Host, repository: Repository, message: HostMessage
) -> PostedMessage | SkippedMessage:
    """Post ``message`` unless the provider has the same content; raises ``hosts.errors``."""
    if message.kind == COMMENT:
        return _post_comment(host, repository, message)
    if message.kind == REJECTION:
        return post_rejection(host, repository, message)
    return _post_status(host, repository, message)


def current_status(repository: Repository, commit: str, context: str) -> Status | None:
    """Return the status due for ``context`` of ``commit``; None without a build."""
    found = worst_of_products(product_summaries(builds_of_commit(repository, commit)))
    due = cast("Due", repository.review_due_status)
    if context == SUMMARY:
        return summary_status(found, due)
    own = (one for one in found if context_of(one.product_key) == context)
    return next((product_status(one, due) for one in own), None)


def status_content(status: Status) -> dict[str, Any]:
    """Return the content of a status as stored after posting."""
    return {"state": status.state, "description": status.description, "url": status.url}


def _post_status(
    host: Host, repository: Repository, message: HostMessage
) -> PostedMessage | SkippedMessage:
    status = current_status(repository, message.commit, message.context)
    if status is None:
        return SkippedMessage(NO_BUILD)
    content = status_content(status)
    if message.sent_content != content:
        mark_doubtful(message)
        host.set_status(
            repository.full_name,
            message.commit,
            HostStatus(message.context, status.state, status.description, status.url),
        )
    return PostedMessage(content)


def _post_comment(
    host: Host, repository: Repository, message: HostMessage
) -> PostedMessage | SkippedMessage:
    number = message.pull_request or 0
    builds = builds_of_pull_request(repository, number)
    if not builds:
        return SkippedMessage(NO_BUILD)
    found = product_summaries(builds)
    changes = change_overview(builds)
    shows_images = repository.comment_pictures
    marker = comment_marker(message.kind, message.id)
    # Image URLs differ each time, so contents are compared without image URLs.
    content = {
        "title": heading_of(found),
        "body": pull_request_comment(
            marker, found, changes, (lambda screenshot: screenshot) if shows_images else None
        ),
    }
    if message.sent_content == content and message.reference:
        return PostedMessage(content, message.reference)
    image_url = create_shared_link if shows_images else None
    body = pull_request_comment(marker, found, changes, image_url)
    mark_doubtful(message)
    return PostedMessage(content, _save_comment(host, repository, message, body))


def _save_comment(host: Host, repository: Repository, message: HostMessage, body: str) -> str:
    """Edit our comment if the comment exists, otherwise post a comment; return its id."""
    name, number = repository.full_name, message.pull_request or 0
    if message.reference:
        try:
            host.edit_comment(name, number, message.reference, body)
        except HostMissingError:
            # The comment was deleted. A new comment is posted below, unless the pull request is
            # gone too.
            pass
        else:
            return message.reference
    # The response may have been lost, or the worker killed, after posting the comment.
    found = host.find_comment(name, number, comment_marker(message.kind, message.id))
    if found is None:
        return host.add_comment(name, number, body).id
    host.edit_comment(name, number, found.id, body)
    return found.id
