"""Rejections that were undone or cleared: their comment is not posted, or marked as withdrawn."""

from typing import Final

from visual_review.builds.models import Build, DecisionBatch, HostMessage, ReviewEntry
from visual_review.builds.notifying.outbox import (
    REJECTION,
    WAITING,
    requeue_message,
    requeue_rejection,
)
from visual_review.builds.review_history import LogEntry, withdrawn_rejections
from visual_review.builds.variants import VariantKey

WITHDRAWN: Final = "withdrawn"
WITHDRAWN_BEFORE: Final = "The rejection was withdrawn before it was posted."


def entries_of_comment(entry: ReviewEntry) -> list[int]:
    """Return the ids of the rejections that a comment is about; ``entry`` is the first of them."""
    batch = DecisionBatch.objects.filter(build=entry.build_id, first_entry=entry.pk).first()
    if batch is None or batch.last_entry is None:
        return [entry.pk]
    rows = ReviewEntry.objects.filter(
        build=entry.build_id, pk__gte=entry.pk, pk__lte=batch.last_entry
    )
    return list(rows.exclude(story_id="").values_list("pk", flat=True))


def is_withdrawn(entry: ReviewEntry) -> bool:
    """Return whether all rejections that the comment is about were undone or cleared."""
    covered = set(entries_of_comment(entry))
    rows = ReviewEntry.objects.filter(build=entry.build_id, pk__gte=entry.pk).exclude(story_id="")
    found = rows.order_by("id").values_list("id", "story_id", "theme", "device", "decision")
    entries = (
        LogEntry(pk, entry.build_id, VariantKey(*variant), decision)
        for pk, *variant, decision in found
    )
    return covered <= withdrawn_rejections(entries)


def notify_withdrawals(build: Build) -> None:
    """Queue the comments on rejections that were withdrawn by now, or are not any more.

    Like ``notify_hosts`` for rejections, call it before ``notify_hosts``.
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
    if message.told is not None:
        if bool(message.told.get(WITHDRAWN)) != is_withdrawn(entry):
            requeue_message(message)
    elif message.state == WAITING:
        # It may be posted at this moment: a new revision makes it be looked at again after that.
        requeue_message(message, next_try_at=message.next_try_at)
    elif message.failure == WITHDRAWN_BEFORE and not is_withdrawn(entry):
        requeue_rejection(message)
