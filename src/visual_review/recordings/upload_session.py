"""Upload sessions of recordings: finding a session, and recording the time of CI's last upload."""

from datetime import timedelta

from visual_review.kernel.clock import now
from visual_review.kernel.errors import NotFoundError
from visual_review.kernel.ids import is_id
from visual_review.recordings.models import Recording
from visual_review.repositories.models import Repository

RECORDING_UNKNOWN = "There is no recording with this id."
# Writing for each part would make the row the bottleneck of an upload.
RECORDED_EVERY = timedelta(minutes=1)


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
