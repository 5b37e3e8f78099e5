"""Processes a finished upload: verify the images, compare, start the review."""

import logging
from datetime import timedelta
from functools import partial

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.comparing.capabilities import record_capabilities
from visual_review.builds.comparing.complete import complete_build, fail_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.job_queue import CONTINUED, PROCESS_BUILD, enqueue_processing
from visual_review.builds.models import Build
from visual_review.builds.publishing.verification import verify_images
from visual_review.builds.states import PROCESSING
from visual_review.builds.time_slices import TimeSlice, TimeSliceEndedError
from visual_review.jobs.turns import others_wait
from visual_review.kernel.clock import now
from visual_review.kernel.errors import StorageFullError, describe_last_error

logger = logging.getLogger(__name__)
# Four minutes with doubling pauses: long enough for a storage hiccup, short enough for authors.
ATTEMPTS = 8
# A killed worker counts as an attempt too. A build must still end, even if the build kills every
# worker, for example by using too much memory.
MAX_INTERRUPTIONS = 3 * ATTEMPTS
INTERRUPTED = (
    "The worker was killed each time it processed this build, perhaps because it ran out of "
    "memory. Give it more memory, or use fewer or smaller screenshots, and publish again."
)
# People free a full disk, and the build then goes on by itself.
ROOM_SECONDS = 30
ROOM_WITHIN = timedelta(days=1)
RETRY = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=2)


@app.task(name=PROCESS_BUILD, queue="builds", retry=RETRY, pass_context=True)
def process_build(context: JobContext, build_id: str, organization_id: str = "") -> None:  # noqa: ARG001 - The queue reads it: organizations take turns.
    """Run to the end, or until another organization's turn.

    Every step may be interrupted and run again.
    """
    if context.job.attempts >= MAX_INTERRUPTIONS:
        logger.error("build %s was interrupted too often", build_id)
        fail_build(build_id, INTERRUPTED)
        return
    try:
        _process(build_id)
    except Exception as error:  # The build must end, whatever went wrong.
        if context.job.attempts + 1 < ATTEMPTS:
            raise
        logger.exception("build %s could not be processed", build_id)
        fail_build(
            build_id,
            f"Processing failed {ATTEMPTS} times. {describe_last_error(error)} Publish again.",
        )


def _process(build_id: str) -> None:
    build = Build.objects.select_related("repository", "product").filter(pk=build_id).first()
    # The job may run twice: retried after a kill, or queued again by a rescue.
    if build is None or build.status != PROCESSING:
        return
    check_time = TimeSlice(partial(others_wait, "builds")).check
    organization_id = build.repository.organization_id
    try:
        verify_images(build, check_time)
        # Before the build is shown as completed: the next publish plans with the new capabilities.
        record_capabilities(build)
        measurement = measure_build(build, check_time)
    except TimeSliceEndedError:
        # A new job has no interruptions and retries yet: only attempts without progress count.
        enqueue_processing(build_id, organization_id, priority=CONTINUED)
    except StorageFullError as error:
        if build.last_upload_at < now() - ROOM_WITHIN:
            raise
        logger.warning("build %s waits for room on the disk: %s", build_id, error)
        enqueue_processing(build_id, organization_id, delay_seconds=ROOM_SECONDS)
    else:
        complete_build(build_id, measurement)
