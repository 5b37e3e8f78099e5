"""Processes an uploaded recording: check the bytes, convert the video, draw the poster."""

import logging
from datetime import timedelta

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, UnavailableError, VisualReviewError
from visual_review.recordings.finish import PROCESS_RECORDING
from visual_review.recordings.models import Recording
from visual_review.recordings.processing import clear, end_failed, process
from visual_review.recordings.removal import delete_bytes
from visual_review.recordings.states import PROCESSING, UPLOADING
from visual_review.recordings.video.errors import ConversionInterruptedError
from visual_review.recordings.work_folders import work_folder

logger = logging.getLogger(__name__)
# With doubling pauses four minutes go by: storage that stumbles is waited for.
ATTEMPTS = 8
# A full disk or a storage that is away is mended by people, and CI has gone with the video: until
# then the job is given up and made again, so that what was uploaded is not lost.
REPAIRED_WITHIN = timedelta(days=1)
# A killed worker counts as an attempt too. A video that takes every worker down with it, by the
# memory it needs say, must end all the same.
MOST_INTERRUPTIONS = 3 * ATTEMPTS
INTERRUPTED = (
    "The worker was cut off each time it processed this video, perhaps for want of memory. Give "
    "it more, or record at a smaller size."
)
# Somebody waits for a build before a merge; a video can be watched a little later.
AFTER_BUILDS = -10
RETRY = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=2)


@app.task(
    name=PROCESS_RECORDING,
    queue="recordings",
    priority=AFTER_BUILDS,
    retry=RETRY,
    pass_context=True,
)
def process_recording(context: JobContext, recording_id: str, organization_id: str) -> None:
    """Run to the end or not at all; every step may be cut and run again."""
    if context.job.attempts >= MOST_INTERRUPTIONS:
        logger.error("recording %s was cut off too often", recording_id)
        end_failed(recording_id, INTERRUPTED)
        return
    try:
        _process(recording_id, organization_id)
    except Exception as error:  # A job runner must end the recording, whatever went wrong.
        if context.job.attempts + 1 < ATTEMPTS or _waits_for_people(recording_id, error):
            raise
        logger.exception("recording %s could not be processed", recording_id)
        end_failed(recording_id, f"Processing failed {ATTEMPTS} times. {_reason(error)}")


def _waits_for_people(recording_id: str, error: Exception) -> bool:
    if not isinstance(error, StorageFullError | UnavailableError):
        return False
    young = Recording.objects.filter(pk=recording_id, last_upload_at__gt=now() - REPAIRED_WITHIN)
    return young.exists()


def _reason(error: Exception) -> str:
    # Only our own errors are written for readers; others may tell what they should not.
    if isinstance(error, VisualReviewError | ConversionInterruptedError):
        return str(error)
    return f"The last time it was a {type(error).__name__}; the service's log tells more."


def _process(recording_id: str, organization_id: str) -> None:
    recording = (
        Recording.objects.filter(pk=recording_id, deleted_at=None)
        .select_related("repository")
        .first()
    )
    if recording is None:
        # Deleted; an earlier run may have been cut just after it stored something.
        delete_bytes(organization_id, recording_id, blob_store())
    elif recording.status == PROCESSING:
        with work_folder() as folder:
            process(recording, blob_store(), folder)
    elif recording.status != UPLOADING:
        # An earlier run was cut between the end and the clearing up.
        clear(recording, blob_store())
