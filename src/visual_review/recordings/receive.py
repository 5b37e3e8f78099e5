"""Storing parts and attachments uploaded to the service itself, into a storage folder."""

from collections.abc import Iterator

from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.recordings.blob_files import store_pieces
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.keys import IncomingKey
from visual_review.recordings.models import Recording
from visual_review.recordings.parts import parts_of
from visual_review.recordings.states import UPLOADING
from visual_review.recordings.uploads import record_upload

NO_UPLOAD_EXPECTED = "No recording expects this file. Announce the recording again and upload it."


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
