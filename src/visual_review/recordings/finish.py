"""Finishing an upload: from here on, the service processes it without CI."""

from django.db import transaction

from visual_review.audit.log import Actor, Change, record
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError
from visual_review.kernel.queue import enqueue
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.enrollment import require_enabled
from visual_review.recordings.models import Recording
from visual_review.recordings.states import FAILED, PROCESSING, UPLOADING
from visual_review.recordings.uploads import (
    MissingFiles,
    missing_of,
    record_upload,
    repository_recording,
)
from visual_review.repositories.models import Repository

SHOWN_MISSING = 1000
PROCESS_RECORDING = "process_recording"


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
