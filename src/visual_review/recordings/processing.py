"""Turns an uploaded recording into a playable one, or fails the recording with a reason.

Every step may be interrupted and repeated: stored files keep their names, the row changes after
the files, and the uploaded parts are deleted last.
"""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.db import transaction

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.blobs import (
    MINIMUM_FREE_BYTES,
    BlobMissingError,
    BlobStore,
    disk_full_error,
)
from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.blob_files import FULL, get_to_file, put_file
from visual_review.recordings.blob_keys import (
    content_type_of,
    stored_attachment_name,
    stored_folder,
    suffix_of,
)
from visual_review.recordings.models import Attachment, Recording
from visual_review.recordings.parts import parts_of
from visual_review.recordings.removal import delete_bytes, delete_uploads
from visual_review.recordings.states import FAILED, PROCESSING, READY
from visual_review.recordings.uploads import attachment_key, part_key
from visual_review.recordings.video_header import (
    VideoHeader,
    VideoRefusedError,
    read_video_header,
)

TOO_MUCH: Final = "More bytes were uploaded than the {} that were announced."


def process(recording: Recording, blobs: BlobStore) -> None:
    """Process a recording until it is ready or failed.

    Raises StorageFullError or UnavailableError; both allow a retry.
    """
    try:
        header = _store_video(recording, blobs)
        failure = ""
    except UploadBrokenError as error:
        # Before the row changes, or a restarted upload would find the damaged parts.
        delete_uploads(recording, blobs)
        mark_failed(recording.id, f"{error} Upload the recording again.")
        return
    except VideoRefusedError as error:
        header, failure = None, str(error)
    _store_attachments(recording, blobs)
    if header is None:
        mark_failed(recording.id, failure)
    else:
        _mark_ready(recording, header)
    delete_leftovers(recording, blobs)


def _store_video(recording: Recording, blobs: BlobStore) -> VideoHeader:
    """Store the joined parts; raise VideoRefusedError afterwards if browsers cannot play them."""
    with _temporary_file(recording.size) as file:
        assemble(recording, blobs, file)
        suffix = suffix_of(recording.file_name)
        try:
            header = read_video_header(file)
            # The extension decides the served type, whatever the original name.
            suffix = header.suffix
        finally:
            _store_original(recording, f"original{suffix}", file, blobs)
    return header


def _store_original(recording: Recording, name: str, file: IO[bytes], blobs: BlobStore) -> None:
    _store(recording, name, file, blobs)
    Recording.objects.filter(pk=recording.pk).update(original_name=name)


@contextmanager
def _temporary_file(size: int) -> Iterator[IO[bytes]]:
    """Create a file without a name, deleted at the end of the process; raises StorageFullError."""
    folder = Path(settings.WORK_FOLDER or tempfile.gettempdir())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # The database may be on the same disk, and a full disk stops the database.
    if shutil.disk_usage(folder).free < size + MINIMUM_FREE_BYTES:
        raise StorageFullError(
            "The disk of the work folder does not have enough free space for this video. Free some "
            "space; the recording is then processed automatically."
        )
    with tempfile.TemporaryFile(dir=folder) as file:
        yield file


def _store_attachments(recording: Recording, blobs: BlobStore) -> None:
    for attachment in recording.attachments.select_related("recording__repository"):
        name = stored_attachment_name(attachment.id, attachment.name)
        try:
            with _temporary_file(attachment.size) as file:
                fetch_attachment(attachment, blobs, file)
                _store(recording, name, file, blobs)
        except UploadBrokenError as error:
            # The video is useful without the attachment.
            _record_attachment(attachment, failure=str(error))
        else:
            _record_attachment(attachment, failure="")


def _record_attachment(attachment: Attachment, failure: str) -> None:
    attachment.failure, attachment.stored_at = failure, None if failure else now()
    Attachment.objects.filter(pk=attachment.pk).update(
        failure=attachment.failure, stored_at=attachment.stored_at
    )


def _mark_ready(recording: Recording, header: VideoHeader) -> None:
    columns: dict[str, object] = {
        "duration_ms": recording.test_duration_ms or header.duration_ms,
        "width": header.width,
        "height": header.height,
    }
    _end_processing(recording.id, READY, "", columns)


def _store(recording: Recording, name: str, file: IO[bytes], blobs: BlobStore) -> None:
    folder = stored_folder(recording.repository.organization_id, recording.id)
    put_file(blobs, f"{folder}/{name}", file, content_type_of(name))


def mark_failed(recording_id: str, reason: str) -> None:
    """End the processing of an unplayable recording, with the reason."""
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
    """Delete files no longer needed by a processed recording; may be repeated."""
    delete_uploads(recording, blobs)
    if not Recording.objects.filter(pk=recording.pk, deleted_at=None).exists():
        # The recording's deletion may have listed the storage before the last file was stored.
        delete_bytes(recording.repository.organization_id, recording.id, blobs)


class UploadBrokenError(Exception):
    """The uploaded bytes differ from the announced ones; uploading again fixes the recording."""


def assemble(recording: Recording, blobs: BlobStore, target: IO[bytes]) -> None:
    """Write the video to ``target``; raises UploadBrokenError, or StorageFullError."""
    parts = parts_of(recording.size, recording.part_size)
    keys = [part_key(recording, part) for part in parts]
    _join(keys, recording, blobs, target)


def fetch_attachment(attachment: Attachment, blobs: BlobStore, target: IO[bytes]) -> None:
    """Write the attachment to ``target``; raises UploadBrokenError, or StorageFullError."""
    key = attachment_key(attachment.recording, attachment)
    _join([key], attachment, blobs, target)


def _join(
    keys: list[str], announced: Recording | Attachment, blobs: BlobStore, target: IO[bytes]
) -> None:
    digest, left = hashlib.sha256(), announced.size
    try:
        for key in keys:
            for piece in get_to_file(blobs, key, target):
                digest.update(piece)
                left -= len(piece)
                # An S3 URL accepts any number of bytes, even after the end of the upload. The
                # bytes must not fill the disk.
                if left < 0:
                    raise UploadBrokenError(TOO_MUCH.format(announced.size))
        target.flush()
    except BlobMissingError as error:
        raise UploadBrokenError("A part of the upload is missing.") from error
    except OSError as error:
        if error.errno in FULL:
            raise disk_full_error() from error
        raise
    if digest.hexdigest() != announced.sha256:
        raise UploadBrokenError(
            f"The uploaded bytes do not have the announced hash {announced.sha256}: they were "
            "damaged in transit, or the file changed during the upload."
        )
