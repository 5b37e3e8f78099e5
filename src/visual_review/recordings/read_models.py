"""Queries for recordings, without deleted ones, and results read without model instances."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet, Sum

from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.uploads import RECORDING_UNKNOWN
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import require_listed


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


class RecordingRow(NamedTuple):
    """A recording in lists. Fields, here and below, are named after the columns in the query."""

    id: str
    title: str
    product__key: str
    test_id: str | None
    test__suite: str
    test__title: str
    test__file: str
    project: str
    outcome: str
    retry: int
    status: str
    duration_ms: int | None
    branch: str
    commit: str
    pull_request: int | None
    created_at: datetime


class RecordingDetails(NamedTuple):
    """The fields shown only in the full view of a recording."""

    repository_id: str
    head_repository: str
    failure: str
    error: str
    steps: list[dict[str, Any]]
    test_duration_ms: int | None
    ran_at: datetime | None
    width: int
    height: int
    original_name: str


class AttachmentRow(NamedTuple):
    """An attachment of a recording."""

    id: str
    name: str
    content_type: str
    size: int
    stored_at: datetime | None
    failure: str


@dataclass(frozen=True)
class FullRecordingRow:
    """A recording in full, with its attachments by name."""

    listed: RecordingRow
    details: RecordingDetails
    attachments: list[AttachmentRow]


def recording_rows(
    organization_id: str, repository_id: str, product_key: str | None, limit: int
) -> list[RecordingRow]:
    """Return the newest recordings, newest first; of one product or of all.

    Raises NotFoundError for another organization's repository, and for an unknown product.
    """
    found = newest_recordings(repository_id, product_key).filter(
        repository__organization_id=organization_id, repository__removed_at=None
    )
    rows = [RecordingRow(*columns) for columns in found.values_list(*RecordingRow._fields)[:limit]]
    if not rows:
        require_listed(organization_id, repository_id, product_key)
    return rows


def full_recording_row(organization_id: str, recording_id: str) -> FullRecordingRow:
    """Return the recording; raises NotFoundError, also if deleted or another organization's."""
    found = recordings_of_organization(organization_id).filter(pk=recording_id)
    rows = found.values_list(*RecordingRow._fields, *RecordingDetails._fields)
    columns = rows.first() if is_id(recording_id, "rec") else None
    if columns is None:
        raise NotFoundError(RECORDING_UNKNOWN)
    listed = len(RecordingRow._fields)
    attachments = Attachment.objects.filter(recording_id=recording_id).order_by("name")
    return FullRecordingRow(
        RecordingRow(*columns[:listed]),
        RecordingDetails(*columns[listed:]),
        [AttachmentRow(*each) for each in attachments.values_list(*AttachmentRow._fields)],
    )
