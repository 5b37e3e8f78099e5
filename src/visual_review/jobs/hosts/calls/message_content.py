"""Posts one message to the Git provider, with content built from the current state."""

from typing import Any, cast

from visual_review.builds.images.public_links import create_shared_link
from visual_review.builds.models import HostMessage
from visual_review.builds.notifying.comments import (
    heading_of,
    pull_request_comment,
)
from visual_review.builds.notifying.markup import comment_marker
from visual_review.builds.notifying.outbox import COMMENT, REJECTION, SUMMARY, context_of
from visual_review.builds.notifying.statuses import (
    Due,
    Status,
    product_status,
    summary_status,
    worst_of_products,
)
from visual_review.builds.notifying.summaries import (
    builds_of_commit,
    builds_of_pull_request,
    change_overview,
    product_summaries,
)
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import Host, HostStatus
from visual_review.jobs.hosts.calls.posted_messages import (
    NO_BUILD,
    PostedMessage,
    SkippedMessage,
    mark_doubtful,
)
from visual_review.jobs.hosts.calls.rejection_comments import post_rejection
from visual_review.repositories.models import Repository


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
    if message.told != content:
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
    if message.told == content and message.reference:
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
