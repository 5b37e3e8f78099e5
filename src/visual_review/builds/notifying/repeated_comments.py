"""Rejections that say again what a comment on the pull request says already."""

from visual_review.builds.models import DecisionBatch, HostMessage, ReviewEntry
from visual_review.builds.notifying.outbox import REJECTION, WAITING
from visual_review.builds.notifying.withdrawals import is_withdrawn, screenshots_of_comment
from visual_review.builds.states import REJECTED


def find_same_comment(message: HostMessage, entry: ReviewEntry) -> HostMessage | None:
    """Return another message that says the same on all screenshots of this one.

    It was posted, or is due before this one. Whose rejection it was makes no difference.
    """
    rows = HostMessage.objects.filter(
        repository=message.repository_id, kind=REJECTION, subject__in=_subjects_alike(entry)
    ).exclude(pk=message.pk)
    wanted = screenshots_of_comment(entry)
    for other in rows.select_related("review_entry").order_by("pk"):
        is_due_before = other.state == WAITING and other.pk < message.pk
        about = other.review_entry
        if about is None or not (is_due_before or other.told is not None):
            continue
        if wanted <= screenshots_of_comment(about) and not is_withdrawn(about):
            return other
    return None


def _subjects_alike(entry: ReviewEntry) -> list[str]:
    """Return the subjects of the comments with the same text on the entry's own screenshot."""
    alike = ReviewEntry.objects.filter(
        build=entry.build_id,
        story_id=entry.story_id,
        theme=entry.theme,
        device=entry.device,
        decision=REJECTED,
        comment=entry.comment,
    )
    ids = list(alike.values_list("pk", flat=True))
    # One comment is about all rejections of a request, and has the id of the first.
    requests = DecisionBatch.objects.filter(
        build=entry.build_id, first_entry__lte=max(ids), last_entry__gte=min(ids)
    )
    ranges = requests.values_list("first_entry", "last_entry")
    firsts = [first for first, last in ranges if any(first <= pk <= last for pk in ids)]
    return [str(pk) for pk in (*ids, *firsts)]
