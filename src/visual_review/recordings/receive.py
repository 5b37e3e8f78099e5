"""Taking parts and attachments that are sent straight to us, into a storage folder."""

from collections.abc import Iterator

from visual_review.kernel.blob_files import take
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.errors import InvalidInputError, NotFoundError
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.keys import Place
from visual_review.recordings.models import Recording
from visual_review.recordings.parts import parts_of
from visual_review.recordings.states import UPLOADING
from visual_review.recordings.upload_session import record_upload

NO_UPLOAD_EXPECTED = "No recording waits for this file. Upload it again."


def receive(place: Place, size: int, pieces: Iterator[bytes], blobs: BlobStore) -> None:
    """Store what ``pieces`` hold at ``place``: whole, or not at all.

    Raises NotFoundError when nothing is expected there, ConflictError while recordings are
    disabled, InvalidInputError for another size than announced, StorageFullError.
    """
    recording = (
        Recording.objects.filter(
            pk=place.recording_id,
            deleted_at=None,
            repository__organization_id=place.organization_id,
            repository__removed_at=None,
        )
        .select_related("repository")
        .first()
    )
    if recording is None:
        raise NotFoundError(NO_UPLOAD_EXPECTED)
    require_enabled(recording.repository)
    expected = _expected_size(recording, place)
    if size != expected:
        raise InvalidInputError(
            f"This part has {expected} bytes, but {size} were sent. Nothing was stored."
        )
    # Of two that upload the same, the slower one may come when the faster has finished.
    if recording.status == UPLOADING:
        take(blobs, place.key, pieces, size)
        record_upload(recording)


def _expected_size(recording: Recording, place: Place) -> int:
    number = place.part_number
    if number is not None:
        parts = parts_of(recording.size, recording.part_size)
        if 1 <= number <= len(parts):
            return parts[number - 1].size
    attachment = recording.attachments.filter(pk=place.name).first()
    if attachment is None:
        raise NotFoundError(NO_UPLOAD_EXPECTED)
    return attachment.size
