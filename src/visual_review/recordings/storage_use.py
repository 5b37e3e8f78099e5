"""How many recordings a repository has, and how many bytes they use."""

from django.db.models import Count, Q, Sum

from visual_review.recordings.models import Attachment, Recording
from visual_review.repositories.models import Repository


def measure_recordings(repository: Repository) -> tuple[int, int]:
    """Return their number, and the bytes of videos, originals and attachments, without posters."""
    rows = Recording.objects.filter(repository=repository, deleted_at=None)
    # An upload is in the storage until it is processed; later the original only if it was kept.
    gone = Q(original_name="", status="ready")
    found = rows.aggregate(
        count=Count("pk"), video=Sum("video_size"), original=Sum("size", filter=~gone)
    )
    attached = Attachment.objects.filter(recording__in=rows, stored_at__isnull=False)
    attachments = attached.aggregate(total=Sum("size"))["total"] or 0
    return found["count"], (found["video"] or 0) + (found["original"] or 0) + attachments
