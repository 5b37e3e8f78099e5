"""Rejections already covered by a comment on the pull request."""

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Q

from visual_review.builds.models import Comment, DecisionBatch, HostMessage, ReviewEntry, Screenshot
from visual_review.builds.notifying.outbox import (
    REJECTION,
    SENT,
    WAITING,
    Rejection,
    is_notified,
)
from visual_review.builds.notifying.withdrawals import is_withdrawn, screenshots_of_comment
from visual_review.builds.states import REJECTED
from visual_review.builds.variants import VariantKey


class LoggedComment(NamedTuple):
    """The comment of a rejection, and its screenshot."""

    build_id: str
    key: VariantKey
    comment: str

    @classmethod
    def of(cls, row: ReviewEntry | Screenshot) -> "LoggedComment":
        return cls(row.build_id, VariantKey(row.story_id, row.theme, row.device), row.comment)


def find_unposted_rejection(shot: Screenshot) -> Rejection | None:
    """Return the screenshot's rejection, if its comment should be posted and was not.

    Comments may have been turned off, or the provider may have been out of reach for long.
    """
    repository = shot.build.repository
    if not (shot.comment.strip() and is_notified(repository) and repository.posts_comments):
        return None
    ids = _rejections_alike(LoggedComment.of(shot))
    rows = HostMessage.objects.filter(
        repository=repository, kind=REJECTION, subject__in=_subjects(shot.build_id, ids)
    )
    if (
        not ids
        or rows.filter(Q(state__in=(WAITING, SENT)) | Q(sent_content__isnull=False)).exists()
    ):
        return None
    return Rejection(ids[0], shot.comment)


def find_earlier_rejection(comment: Comment) -> int | None:
    """Return the entry whose comment on the pull request also has this later comment of its thread.

    The result is the first rejection of the thread in the same build that is not withdrawn.
    """
    entry = comment.rejection
    if entry is None:
        return None
    in_thread = Comment.objects.filter(thread=comment.thread_id).values("rejection")
    earlier = ReviewEntry.objects.filter(pk__in=in_thread, build=entry.build_id, pk__lt=entry.pk)
    candidates = (each.pk for each in earlier.order_by("pk") if not is_withdrawn(each))
    return next(candidates, None)


def find_same_comment(message: HostMessage, entry: ReviewEntry) -> HostMessage | None:
    """Return another message with the same text on all screenshots of this message.

    The other message was posted, or is due earlier. The reviewer of its rejection does not matter.
    """
    ids = _rejections_alike(LoggedComment.of(entry))
    rows = HostMessage.objects.filter(
        repository=message.repository_id,
        kind=REJECTION,
        subject__in=_subjects(entry.build_id, ids),
    ).exclude(pk=message.pk)
    wanted = screenshots_of_comment(entry)
    for other in rows.select_related("review_entry").order_by("pk"):
        is_due_before = other.state == WAITING and other.pk < message.pk
        about = other.review_entry
        if about is None or not (is_due_before or other.sent_content is not None):
            continue
        if wanted <= screenshots_of_comment(about) and not is_withdrawn(about):
            return other
    return None


def _rejections_alike(logged: LoggedComment) -> list[int]:
    """Return the entries with the same comment on the same screenshot, in their order."""
    alike = ReviewEntry.objects.filter(
        build=logged.build_id,
        story_id=logged.key.story_id,
        theme=logged.key.theme,
        device=logged.key.device,
        decision=REJECTED,
        comment=logged.comment,
    )
    return list(alike.order_by("id").values_list("pk", flat=True))


def _subjects(build_id: str, ids: Sequence[int]) -> list[str]:
    """Return the subjects of the messages that may be about the entries."""
    if not ids:
        return []
    # One comment is about all rejections of a request, and has the id of the first.
    requests = DecisionBatch.objects.filter(
        build=build_id, first_entry__lte=ids[-1], last_entry__gte=ids[0]
    )
    firsts = [
        first
        for first, last in requests.values_list("first_entry", "last_entry")
        if first is not None and last is not None and any(first <= pk <= last for pk in ids)
    ]
    return [str(pk) for pk in (*ids, *firsts)]
