"""Upload sessions of recordings: missing parts and attachments, upload URLs, and the end."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction

from visual_review.audit.log import Actor, Change, record
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.kernel.queue import enqueue
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.blob_files import store_pieces
from visual_review.recordings.blob_keys import IncomingKey, incoming_folder, part_name
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.parts import Part, parts_of
from visual_review.recordings.states import FAILED, PROCESSING, UPLOADING
from visual_review.repositories.models import Repository

# A slow connection needs long for many parts; announcing again gives new URLs.
LINK_SECONDS = 60 * 60
RECORDING_UNKNOWN = "There is no recording with this id."
# Writing for each part would make the row the bottleneck of an upload.
RECORDED_EVERY = timedelta(minutes=1)
NO_UPLOAD_EXPECTED = "No recording expects this file. Announce the recording again and upload it."
SHOWN_MISSING = 1000
PROCESS_RECORDING = "process_recording"


@dataclass(frozen=True)
class MissingFiles:
    """The files still to upload; none after the end of the upload."""

    parts: tuple[Part, ...]
    attachments: tuple[Attachment, ...]

    def __bool__(self) -> bool:
        return bool(self.parts or self.attachments)


def missing_of(recording: Recording, blobs: BlobStore) -> MissingFiles:
    """Return the files missing in the storage or stored in another size than announced."""
    if recording.status != UPLOADING:
        return MissingFiles((), ())
    folder = folder_of(recording)
    # Compare sizes too: remote storage accepts any upload.
    stored = dict(blobs.sizes(folder))
    parts = parts_of(recording.size, recording.part_size)
    return MissingFiles(
        tuple(part for part in parts if stored.get(part_key(recording, part)) != part.size),
        tuple(
            each
            for each in recording.attachments.order_by("id")
            if stored.get(attachment_key(recording, each)) != each.size
        ),
    )


def folder_of(recording: Recording) -> str:
    return incoming_folder(recording.repository.organization_id, recording.id)


def part_key(recording: Recording, part: Part) -> str:
    return f"{folder_of(recording)}/{part_name(part.number)}"


def attachment_key(recording: Recording, attachment: Attachment) -> str:
    return f"{folder_of(recording)}/{attachment.id}"


def repository_recording(
    repository: Repository, recording_id: str, *, lock: bool = False
) -> Recording:
    """Return the recording; raises NotFoundError, also if deleted or another repository's."""
    # The id comes from a URL and may contain characters rejected by the database.
    known_form = recording_id if is_id(recording_id, "rec") else None
    rows = Recording.objects.filter(repository=repository, pk=known_form, deleted_at=None)
    rows = rows.select_for_update(no_key=True) if lock else rows.select_related("product")
    row = rows.first()
    if row is None:
        raise NotFoundError(RECORDING_UNKNOWN)
    return row


def record_upload(recording: Recording) -> None:
    """Record the time of an upload, at most once a minute."""
    moment = now()
    if moment - recording.last_upload_at > RECORDED_EVERY:
        rows = Recording.objects.filter(pk=recording.pk, last_upload_at__lt=moment)
        rows.update(last_upload_at=moment)


def receive_upload(key: IncomingKey, size: int, pieces: Iterator[bytes], blobs: BlobStore) -> None:
    """Store ``pieces`` at ``key``: completely, or not at all.

    Raises NotFoundError if nothing is expected there, ConflictError while recordings are
    disabled, InvalidInputError for another size than announced, StorageFullError.
    """
    recording = (
        Recording.objects.filter(
            pk=key.recording_id,
            deleted_at=None,
            repository__organization_id=key.organization_id,
            repository__removed_at=None,
        )
        .select_related("repository")
        .first()
    )
    if recording is None:
        raise NotFoundError(NO_UPLOAD_EXPECTED)
    require_enabled(recording.repository)
    expected = _expected_size(recording, key)
    if size != expected:
        raise InvalidInputError(
            f"This part must have {expected} bytes, but {size} were sent. Nothing was stored."
        )
    # Of two uploads of the same file, the slower may arrive after the faster has finished.
    if recording.status == UPLOADING:
        store_pieces(blobs, key.key, pieces, size)
        record_upload(recording)


def _expected_size(recording: Recording, key: IncomingKey) -> int:
    number = key.part_number
    if number is not None:
        parts = parts_of(recording.size, recording.part_size)
        if 1 <= number <= len(parts):
            return parts[number - 1].size
    attachment = recording.attachments.filter(pk=key.name).first()
    if attachment is None:
        raise NotFoundError(NO_UPLOAD_EXPECTED)
    return attachment.size


class MissingFilesError(ConflictError):
    """Announced files did not arrive; ``missing`` lists numbers of parts, names of attachments."""

    def __init__(self, found: MissingFiles) -> None:
        super().__init__(
            f"{len(found.parts)} parts of the video and {len(found.attachments)} attachments did "
            "not arrive. Announce the recording again to get their upload URLs, then finish it "
            "again."
        )
        self.missing = {
            "parts": [part.number for part in found.parts[:SHOWN_MISSING]],
            "attachments": [each.name for each in found.attachments],
        }


def finish_recording(repository: Repository, recording_id: str, actor: Actor) -> Recording:
    """Complete the upload and queue the processing of the video.

    May be repeated, and then changes nothing. Raises MissingFilesError; ConflictError while
    recordings are disabled, or if the upload has failed.
    """
    recording = repository_recording(repository, recording_id)
    require_enabled(repository)
    _require_not_given_up(recording)
    if recording.status != UPLOADING:
        return recording
    # Storage may be remote, so query the storage before the transaction begins.
    missing = missing_of(recording, blob_store())
    if missing:
        record_upload(recording)
        raise MissingFilesError(missing)
    with transaction.atomic():
        recording = repository_recording(repository, recording_id, lock=True)
        _require_not_given_up(recording)
        if recording.status == UPLOADING:
            recording.status, recording.last_upload_at = PROCESSING, now()
            recording.save(update_fields=["status", "last_upload_at"])
            record(repository.organization_id, actor, _uploaded(recording))
            enqueue_processing(recording.id, repository.organization_id)
    return recording


def _uploaded(recording: Recording) -> Change:
    after = {"fileName": recording.file_name, "size": recording.size, "outcome": recording.outcome}
    return Change("recording.uploaded", recording_target(recording), after=after)


def _require_not_given_up(recording: Recording) -> None:
    if recording.status == FAILED and not recording.original_name:
        raise ConflictError(f"{recording.failure} Announce the recording again.")


def enqueue_processing(recording_id: str, organization_id: str) -> None:
    """Queue the processing of the recording, unless a job for the recording is waiting."""
    enqueue(
        PROCESS_RECORDING,
        lock=recording_id,
        once=f"{PROCESS_RECORDING}:{recording_id}",
        recording_id=recording_id,
        organization_id=organization_id,
    )
