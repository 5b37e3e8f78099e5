"""Recordings for results of actions, read without model instances."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from visual_review.kernel.compiled_queries import CompiledQuery, Parameter
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.queries import newest_recordings, recordings_of_organization
from visual_review.recordings.upload_session import RECORDING_UNKNOWN
from visual_review.repositories.queries import require_listed


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
    """What only the full view of a recording shows."""

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
    of_repository = {"organization": organization_id, "repository": repository_id}
    if product_key is None:
        rows = _NEWEST.fetch_first(limit, **of_repository)
    else:
        rows = _NEWEST_OF_PRODUCT.fetch_first(limit, **of_repository, product=product_key)
    if not rows:
        require_listed(organization_id, repository_id, product_key)
    return rows


def full_recording_row(organization_id: str, recording_id: str) -> FullRecordingRow:
    """Return the recording; raises NotFoundError, also if deleted or another organization's."""
    values = {"organization": organization_id, "recording": recording_id}
    found = _RECORDING.first(**values) if is_id(recording_id, "rec") else None
    if found is None:
        raise NotFoundError(RECORDING_UNKNOWN)
    return FullRecordingRow(*found, _ATTACHMENTS.fetch(recording=recording_id))


def _newest(product_key: str | None) -> QuerySet[Recording, tuple[Any, ...]]:
    rows = newest_recordings(Parameter("repository"), product_key).filter(
        repository__organization_id=Parameter("organization"), repository__removed_at=None
    )
    return rows.values_list(*RecordingRow._fields)


def _recordings() -> QuerySet[Recording, tuple[Any, ...]]:
    rows = recordings_of_organization(Parameter("organization")).filter(pk=Parameter("recording"))
    return rows.values_list(*RecordingRow._fields, *RecordingDetails._fields)


def _split_columns(*columns: Any) -> tuple[RecordingRow, RecordingDetails]:  # noqa: ANN401 - A row.
    listed = len(RecordingRow._fields)
    return RecordingRow(*columns[:listed]), RecordingDetails(*columns[listed:])


def _attachments() -> QuerySet[Attachment, tuple[Any, ...]]:
    rows = Attachment.objects.filter(recording_id=Parameter("recording")).order_by("name")
    return rows.values_list(*AttachmentRow._fields)


_NEWEST = CompiledQuery(RecordingRow, lambda: _newest(None))
_NEWEST_OF_PRODUCT = CompiledQuery(RecordingRow, lambda: _newest(Parameter("product")))
_RECORDING = CompiledQuery(_split_columns, _recordings)
_ATTACHMENTS = CompiledQuery(AttachmentRow, _attachments)
