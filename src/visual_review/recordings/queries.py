"""Queries for recordings and their storage, always without deleted ones."""

from django.db.models import Count, QuerySet, Sum

from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.upload_session import RECORDING_UNKNOWN
from visual_review.repositories.models import Repository


def newest_recordings(repository: Repository | str, product_key: str | None) -> QuerySet[Recording]:
    """Return the recordings, newest first, with product and test; of one product or of all.

    Without the fields of the full view: a list of a thousand could contain gigabytes of steps.
    ``repository`` may be an ID.
    """
    rows = Recording.objects.filter(repository=repository, deleted_at=None)
    if product_key is not None:
        rows = rows.filter(product__key=product_key)
    whole = rows.select_related("product", "test").order_by("-created_at", "-id")
    return whole.defer("steps", "error", "failure")


def recordings_of_organization(organization_id: str) -> QuerySet[Recording]:
    """Return the recordings of all repositories of the organization."""
    return Recording.objects.filter(
        deleted_at=None,
        repository__organization_id=organization_id,
        repository__removed_at=None,
    )


def recording_of(organization_id: str, recording_id: str, *, lock: bool = False) -> Recording:
    """Return the recording; raises NotFoundError, also if deleted or another organization's."""
    known_form = recording_id if is_id(recording_id, "rec") else None
    rows = recordings_of_organization(organization_id).filter(pk=known_form)
    rows = rows.select_related("repository", "product", "test")
    row = (rows.select_for_update(of=("self",)) if lock else rows).first()
    if row is None:
        raise NotFoundError(RECORDING_UNKNOWN)
    return row


def measure_recordings(repository: Repository) -> tuple[int, int]:
    """Return their number, and the bytes of videos and attachments."""
    rows = Recording.objects.filter(repository=repository, deleted_at=None)
    # An upload is in the storage before processing, too.
    found = rows.aggregate(count=Count("pk"), videos=Sum("size"))
    attached = Attachment.objects.filter(recording__in=rows, stored_at__isnull=False)
    attachments = attached.aggregate(total=Sum("size"))["total"] or 0
    return found["count"], (found["videos"] or 0) + attachments
