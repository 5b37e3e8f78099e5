"""Tells one message to the host, in words made from what is true at this moment."""

from dataclasses import dataclass
from typing import Any, Final, cast

from visual_review.builds.images.public_links import shared_link
from visual_review.builds.models import HostMessage, ReviewEntry
from visual_review.builds.notifying.comments import (
    heading_of,
    pull_request_comment,
    rejection_comment,
)
from visual_review.builds.notifying.markup import mark
from visual_review.builds.notifying.outbox import COMMENT, REJECTION
from visual_review.builds.notifying.statuses import (
    SUMMARY,
    Due,
    Status,
    clip,
    context_of,
    product_status,
    summary_status,
)
from visual_review.builds.notifying.summaries import (
    builds_of_commit,
    builds_of_pull_request,
    pictured,
    product_summaries,
    rejection,
)
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import Host, HostStatus
from visual_review.repositories.models import Repository

NO_BUILD: Final = "No build is left that could be told of."
NO_PULL_REQUEST: Final = "No open pull request has this commit."


@dataclass(frozen=True)
class Told:
    """What stands at the host now. ``reference`` is the host's id of it, empty for statuses."""

    told: dict[str, Any]
    reference: str = ""


@dataclass(frozen=True)
class NothingToPost:
    reason: str


def tell(host: Host, repository: Repository, message: HostMessage) -> Told | NothingToPost:
    """Tell ``message``, unless the host has the same words already; raises hosts' errors."""
    if message.kind == COMMENT:
        return _comment(host, repository, message)
    if message.kind == REJECTION:
        return _rejection(host, repository, message)
    return _status(host, repository, message)


def current_status(repository: Repository, commit: str, context: str) -> Status | None:
    """What ``context`` should say of ``commit``; None without a build."""
    found = product_summaries(builds_of_commit(repository, commit))
    due = cast("Due", repository.review_due_status)
    if context == SUMMARY:
        return summary_status(found, due)
    own = (one for one in found if context_of(one.product_key) == context)
    return next((product_status(one, due) for one in own), None)


def as_posted(status: Status) -> dict[str, Any]:
    """How a status is noted when it stands at the host."""
    return {"state": status.state, "description": status.description, "url": status.url}


def _status(host: Host, repository: Repository, message: HostMessage) -> Told | NothingToPost:
    status = current_status(repository, message.commit, message.context)
    if status is None:
        return NothingToPost(NO_BUILD)
    words = as_posted(status)
    if message.told != words:
        _doubt(message)
        host.set_status(
            repository.full_name,
            message.commit,
            HostStatus(message.context, status.state, status.description, status.url),
        )
    return Told(words)


def _comment(host: Host, repository: Repository, message: HostMessage) -> Told | NothingToPost:
    number = message.pull_request or 0
    builds = builds_of_pull_request(repository, number)
    if not builds:
        return NothingToPost(NO_BUILD)
    found = product_summaries(builds)
    shown = pictured(builds) if repository.comment_pictures else []
    sign = mark(message.kind, message.id)
    # Addresses of pictures differ each time; compared is all else.
    words = {
        "title": heading_of(found),
        "body": pull_request_comment(sign, found, shown, lambda screenshot: screenshot),
    }
    if message.told == words and message.reference:
        return Told(words, message.reference)
    body = pull_request_comment(sign, found, shown, shared_link)
    _doubt(message)
    return Told(words, _placed(host, repository, message, body))


def _doubt(message: HostMessage) -> None:
    """Note that other words may stand there from now on, until it is known that they do.

    The answer may be lost, or the worker killed: then words that change back are told again.
    """
    if message.told is not None:
        told = {**message.told, "doubtful": True}
        HostMessage.objects.filter(pk=message.pk).update(told=told)


def _placed(host: Host, repository: Repository, message: HostMessage, body: str) -> str:
    """Edit our comment where there is one, else post it; returns the host's id of it."""
    name, number = repository.full_name, message.pull_request or 0
    if message.reference:
        try:
            host.edit_comment(name, number, message.reference, body)
        except HostMissingError:
            # Somebody deleted it. Posted anew below, unless the pull request is gone too.
            pass
        else:
            return message.reference
    # An answer may have been lost, or the worker killed, after it was posted.
    found = host.find_comment(name, number, mark(message.kind, message.id))
    if found is None:
        return host.add_comment(name, number, body).id
    host.edit_comment(name, number, found.id, body)
    return found.id


def _rejection(host: Host, repository: Repository, message: HostMessage) -> Told | NothingToPost:
    entries = ReviewEntry.objects.select_related("build", "screenshot")
    entry = entries.filter(pk=message.review_entry_id or 0).first()
    if entry is None:
        return NothingToPost(NO_BUILD)
    if message.told is not None:
        return Told(message.told, message.reference)
    number = message.pull_request or _pull_request_of(host, repository, message)
    if number is None:
        return NothingToPost(NO_PULL_REQUEST)
    sign = mark(message.kind, message.id)
    body = rejection_comment(sign, rejection(entry))
    found = host.find_comment(repository.full_name, number, sign)
    placed = found or host.add_comment(repository.full_name, number, body)
    return Told({"title": clip(entry.comment), "body": body}, placed.id)


def _pull_request_of(host: Host, repository: Repository, message: HostMessage) -> int | None:
    numbers = host.pull_requests_of(repository.full_name, message.commit)
    if not numbers:
        return None
    # Noted before anything is posted: the next try must look for it at the same place.
    HostMessage.objects.filter(pk=message.pk).update(pull_request=numbers[0])
    return numbers[0]
