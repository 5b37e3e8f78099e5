"""Undone or cleared rejections: their comment is not posted, or marked as withdrawn."""

from collections.abc import Sequence
from typing import Final

from django.db.models import QuerySet

from visual_review.builds.models import Build, DecisionBatch, HostMessage, ReviewEntry
from visual_review.builds.notifying.outbox import (
    REJECTION,
    WAITING,
    requeue_message,
    requeue_rejection,
)
from visual_review.builds.review_history import LoggedComment, effective_entries, stands
from visual_review.builds.states import REJECTED
from visual_review.builds.threads.reading import later_rejections
from visual_review.builds.variants import VariantKey

WITHDRAWN: Final = "withdrawn"
# How many later rejections of the screenshot the comment contains.
LATER: Final = "later"
WITHDRAWN_BEFORE: Final = "The rejection was withdrawn before it was posted."


def entries_of_comment(entry: ReviewEntry) -> list[int]:
    """Return the ids of the rejections in a comment; ``entry`` is the first of them."""
    return list(_entries_of_comment(entry).values_list("pk", flat=True))


def _entries_of_comment(entry: ReviewEntry) -> QuerySet[ReviewEntry]:
    batch = DecisionBatch.objects.filter(build=entry.build_id, first_entry=entry.pk).first()
    if batch is None or batch.last_entry is None:
        return ReviewEntry.objects.filter(pk=entry.pk)
    rows = ReviewEntry.objects.filter(
        build=entry.build_id, pk__gte=entry.pk, pk__lte=batch.last_entry
    )
    return rows.exclude(story_id="").order_by("id")


def screenshots_of_comment(entry: ReviewEntry) -> set[VariantKey]:
    """Return the stories and variants in the comment."""
    rows = _entries_of_comment(entry).values_list("story_id", "theme", "device")
    return {VariantKey(*variant) for variant in rows}


def is_withdrawn(entry: ReviewEntry) -> bool:
    """Return whether all rejections in the comment were undone or cleared.

    A repeated rejection with the same text on the same screenshot has no comment of its own, so the
    comment is also about the repetition.
    """
    rows = effective_entries().filter(build=entry.build_id, pk__gte=entry.pk).exclude(story_id="")
    found = rows.order_by("id").values_list("story_id", "theme", "device", "decision", "comment")
    decisions: dict[VariantKey, list[LoggedComment]] = {
        key: [] for key in screenshots_of_comment(entry)
    }
    for story_id, theme, device, decision, comment in found:
        key = VariantKey(story_id, theme, device)
        if key in decisions:
            decisions[key].append(LoggedComment(decision, comment))
    rejection = LoggedComment(REJECTED, entry.comment)
    return not any(stands(rejection, each) for each in decisions.values())


def shows_withdrawal(entry: ReviewEntry, later: Sequence[ReviewEntry]) -> bool:
    """Return whether a comment on ``entry`` and ``later`` rejections shows a withdrawal."""
    return is_withdrawn(later[-1] if later else entry)


def notify_withdrawals(build: Build) -> None:
    """Queue the comments on rejections withdrawn by now, or no longer withdrawn.

    Like ``notify_hosts`` for rejections, call before ``notify_hosts``.
    """
    messages = HostMessage.objects.filter(
        repository=build.repository, kind=REJECTION, review_entry__build=build
    )
    for message in messages.select_related("review_entry").order_by("subject"):
        _queue_again(message)


def _queue_again(message: HostMessage) -> None:
    entry = message.review_entry
    if entry is None:
        return
    if message.sent_content is not None:
        later = later_rejections(entry)
        shown = bool(message.sent_content.get(WITHDRAWN)), message.sent_content.get(LATER, 0)
        if shown != (shows_withdrawal(entry, later), len(later)):
            requeue_message(message)
    elif message.state == WAITING:
        # The comment may be posted at this moment: a new revision makes a job look at it again.
        requeue_message(message, next_try_at=message.next_try_at)
    elif message.failure == WITHDRAWN_BEFORE and not is_withdrawn(entry):
        requeue_rejection(message)
