"""How many recordings a repository keeps, and how many bytes they are."""

from django.db.models import Count, Q, Sum

from visual_review.recordings.models import Attachment, Recording
from visual_review.repositories.models import Repository


def recordings_of(repository: Repository) -> tuple[int, int]:
    """Their number, and the bytes of videos, kept originals and attachments; posters are small."""
    rows = Recording.objects.filter(repository=repository, deleted_at=None)
    # An upload lies in the storage while it waits, the original afterwards only where it is kept.
    gone = Q(original_name="", status="ready")
    found = rows.aggregate(
        count=Count("pk"), video=Sum("video_size"), original=Sum("size", filter=~gone)
    )
    attached = Attachment.objects.filter(recording__in=rows, stored_at__isnull=False)
    attachments = attached.aggregate(total=Sum("size"))["total"] or 0
    return found["count"], (found["video"] or 0) + (found["original"] or 0) + attachments
