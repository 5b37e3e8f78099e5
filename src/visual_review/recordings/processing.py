"""Turns an uploaded recording into one that people can watch, or fails it with a reason.

Every step may be interrupted and repeated: stored files keep their names, the row changes last,
and the uploaded parts are deleted after that.
"""

import hashlib
import logging
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.blob_files import put_file
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.recordings.assemble import UploadBrokenError, assemble, fetch_attachment
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.conversion import conversion_limits, convert_in_child
from visual_review.recordings.keys import (
    content_type_of,
    stored_attachment_name,
    stored_folder,
    suffix_of,
)
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.removal import delete_bytes, delete_uploads
from visual_review.recordings.states import FAILED, PROCESSING, READY
from visual_review.recordings.video.errors import VideoRefusedError
from visual_review.recordings.video.outcome import Converted
from visual_review.recordings.work_folders import check_free_space

DIGEST_LENGTH: Final = 16

logger = logging.getLogger(__name__)


def process(recording: Recording, blobs: BlobStore, folder: Path) -> None:
    """Process a recording until it is ready or failed; ``folder`` must be empty.

    Raises StorageFullError, UnavailableError or ConversionInterruptedError, after which it may be
    retried.
    """
    original = folder / "original"
    # The original and the converted video, which has about the same size.
    check_free_space(folder, 2 * recording.size)
    try:
        assemble(recording, blobs, original)
        _store_original(recording, original, blobs)
        _store_attachments(recording, folder, blobs)
        limits = conversion_limits(recording.size, settings.RECORDING_TYPES)
        converted = convert_in_child(original, folder, limits)
    except UploadBrokenError as error:
        # Before the row changes, or a restarted upload would find the damaged parts.
        delete_uploads(recording, blobs)
        mark_failed(recording.id, f"{error} Upload the recording again.")
        return
    except VideoRefusedError as error:
        mark_failed(recording.id, str(error))
    else:
        _mark_ready(recording, converted, folder, blobs)
    delete_leftovers(recording, blobs)


def _store_original(recording: Recording, path: Path, blobs: BlobStore) -> None:
    name = f"original{suffix_of(recording.file_name)}"
    _store(recording, name, path, blobs)
    Recording.objects.filter(pk=recording.pk).update(original_name=name)


def _store_attachments(recording: Recording, folder: Path, blobs: BlobStore) -> None:
    for attachment in recording.attachments.select_related("recording__repository"):
        path = folder / "attachment"
        try:
            fetch_attachment(attachment, blobs, path)
        except UploadBrokenError as error:
            # The video is useful without the attachment.
            _record_attachment(attachment, failure=str(error))
            continue
        _store(recording, stored_attachment_name(attachment.id, attachment.name), path, blobs)
        _record_attachment(attachment, failure="")
        path.unlink()


def _record_attachment(attachment: Attachment, failure: str) -> None:
    attachment.failure, attachment.stored_at = failure, None if failure else now()
    Attachment.objects.filter(pk=attachment.pk).update(
        failure=attachment.failure, stored_at=attachment.stored_at
    )


def _mark_ready(recording: Recording, converted: Converted, folder: Path, blobs: BlobStore) -> None:
    video = _store_by_content(recording, folder / converted.video, blobs)
    poster = _store_by_content(recording, folder / converted.poster, blobs)
    columns = {
        "video_name": video,
        "video_size": (folder / converted.video).stat().st_size,
        "poster_name": poster,
        "duration_ms": converted.duration_ms,
        "width": converted.width,
        "height": converted.height,
    }
    _end_processing(recording.id, READY, "", columns)


def _store_by_content(recording: Recording, path: Path, blobs: BlobStore) -> str:
    # A repeated conversion may produce other bytes, and stored files must not be overwritten.
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()[:DIGEST_LENGTH]
    name = f"{path.stem}-{digest}{path.suffix}"
    _store(recording, name, path, blobs)
    return name


def _store(recording: Recording, name: str, path: Path, blobs: BlobStore) -> None:
    folder = stored_folder(recording.repository.organization_id, recording.id)
    put_file(blobs, f"{folder}/{name}", path, content_type_of(path.name))


def mark_failed(recording_id: str, reason: str) -> None:
    """End the processing of a recording that cannot be watched, with the reason."""
    _end_processing(recording_id, FAILED, reason, {})


@transaction.atomic
def _end_processing(
    recording_id: str, status: str, failure: str, columns: dict[str, object]
) -> None:
    recording = (
        Recording.objects.select_for_update(no_key=True, of=("self",))
        .filter(pk=recording_id, status=PROCESSING, deleted_at=None)
        .select_related("repository")
        .first()
    )
    # Deleted in the meantime, or already ended by an earlier run of the same job.
    if recording is None:
        return
    for name, value in {**columns, "status": status, "failure": failure}.items():
        setattr(recording, name, value)
    recording.finished_at = now()
    recording.save()
    change = Change(
        f"recording.{status}",
        recording_target(recording),
        before={"status": PROCESSING},
        after={"status": status, **({"failure": failure} if failure else {})},
    )
    record(recording.repository.organization_id, SYSTEM, change)


def delete_leftovers(recording: Recording, blobs: BlobStore) -> None:
    """Delete files that a processed recording no longer needs; may be repeated."""
    delete_uploads(recording, blobs)
    organization_id = recording.repository.organization_id
    ended = Recording.objects.filter(pk=recording.pk, deleted_at=None).first()
    if ended is None:
        # Its deletion may have listed the storage before the last file was stored.
        delete_bytes(organization_id, recording.id, blobs)
        return
    # An earlier, interrupted run may have stored a video that no row names.
    folder = stored_folder(organization_id, recording.id)
    named = {f"{folder}/{name}" for name in _names(ended)}
    blobs.delete([key for key in blobs.keys(folder) if key not in named])


def _names(recording: Recording) -> set[str]:
    names = {stored_attachment_name(each.id, each.name) for each in recording.attachments.all()}
    return names | {recording.original_name, recording.video_name, recording.poster_name}
