"""The number of recordings in a repository, and the bytes they use."""

from django.db.models import Count, Sum

from visual_review.recordings.models import Attachment, Recording
from visual_review.repositories.models import Repository


def measure_recordings(repository: Repository) -> tuple[int, int]:
    """Return their number, and the bytes of videos and attachments."""
    rows = Recording.objects.filter(repository=repository, deleted_at=None)
    # An upload is in the storage before processing, too.
    found = rows.aggregate(count=Count("pk"), videos=Sum("size"))
    attached = Attachment.objects.filter(recording__in=rows, stored_at__isnull=False)
    attachments = attached.aggregate(total=Sum("size"))["total"] or 0
    return found["count"], (found["videos"] or 0) + attachments
