"""Processes an uploaded recording: joins and checks the bytes, and reads the video's header."""

import logging
from datetime import timedelta

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, UnavailableError, describe_last_error
from visual_review.recordings.models import Recording
from visual_review.recordings.processing import delete_leftovers, mark_failed, process
from visual_review.recordings.removal import delete_bytes
from visual_review.recordings.states import PROCESSING, UPLOADING
from visual_review.recordings.uploads import PROCESS_RECORDING

logger = logging.getLogger(__name__)
# Four minutes with doubling pauses: long enough for a storage hiccup.
ATTEMPTS = 8
# People fix a full disk or an unavailable storage, and CI no longer has the video: meanwhile the
# job is enqueued again and again, so that the upload is not lost.
REPAIRED_WITHIN = timedelta(days=1)
# A killed worker counts as an attempt too. A recording whose worker always ends must still end.
MAX_INTERRUPTIONS = 3 * ATTEMPTS
INTERRUPTED = (
    "The worker was killed each time it processed this video; see the service's log for details."
)
# People wait for builds before merging; a video can be watched a little later.
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
    """Run to the end or not at all; every step may be interrupted and run again."""
    if context.job.attempts >= MAX_INTERRUPTIONS:
        logger.error("recording %s was interrupted too often", recording_id)
        mark_failed(recording_id, INTERRUPTED)
        return
    try:
        _process(recording_id, organization_id)
    except Exception as error:  # The recording must end, whatever went wrong.
        if context.job.attempts + 1 < ATTEMPTS or _is_worth_waiting(recording_id, error):
            raise
        logger.exception("recording %s could not be processed", recording_id)
        mark_failed(
            recording_id, f"Processing failed {ATTEMPTS} times. {describe_last_error(error)}"
        )


def _is_worth_waiting(recording_id: str, error: Exception) -> bool:
    if not isinstance(error, StorageFullError | UnavailableError):
        return False
    recent = Recording.objects.filter(pk=recording_id, last_upload_at__gt=now() - REPAIRED_WITHIN)
    return recent.exists()


def _process(recording_id: str, organization_id: str) -> None:
    recording = (
        Recording.objects.filter(pk=recording_id, deleted_at=None)
        .select_related("repository")
        .first()
    )
    if recording is None:
        # The recording was deleted; an interrupted earlier run may have left bytes.
        delete_bytes(organization_id, recording_id, blob_store())
    elif recording.status == PROCESSING:
        process(recording, blob_store())
    elif recording.status != UPLOADING:
        # An earlier run was interrupted between the end and the cleanup.
        delete_leftovers(recording, blob_store())
