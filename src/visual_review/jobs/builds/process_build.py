"""Processes a finished upload: verify the images, compare, start the review."""

import logging

from procrastinate import JobContext, RetryStrategy
from procrastinate.contrib.django import app

from visual_review.builds.comparing.capabilities import record_capabilities
from visual_review.builds.comparing.complete import complete, fail
from visual_review.builds.comparing.measure import measure
from visual_review.builds.job_queue import PROCESS_BUILD
from visual_review.builds.models import Build
from visual_review.builds.publishing.verification import verify_images
from visual_review.builds.states import PROCESSING
from visual_review.kernel.errors import VisualReviewError

logger = logging.getLogger(__name__)
# With doubling pauses four minutes go by: storage that stumbles is waited for, but an author is
# told soon enough.
ATTEMPTS = 8
# A killed worker counts as an attempt too. A build that takes every worker down with it, by the
# memory it needs say, must end all the same.
MOST_INTERRUPTIONS = 3 * ATTEMPTS
INTERRUPTED = (
    "The worker was cut off each time it processed this build, perhaps for want of memory. "
    "Give it more, or publish fewer or smaller pictures, and publish again."
)
RETRY = RetryStrategy(max_attempts=ATTEMPTS, exponential_wait=2)


@app.task(name=PROCESS_BUILD, queue="builds", retry=RETRY, pass_context=True)
def process_build(context: JobContext, build_id: str) -> None:
    """Run to the end or not at all; every step may be cut and run again."""
    if context.job.attempts >= MOST_INTERRUPTIONS:
        logger.error("build %s was cut off too often", build_id)
        fail(build_id, INTERRUPTED)
        return
    try:
        _process(build_id)
    except Exception as error:  # A job runner must end the build, whatever went wrong.
        if context.job.attempts + 1 < ATTEMPTS:
            raise
        logger.exception("build %s could not be processed", build_id)
        fail(build_id, f"Processing failed {ATTEMPTS} times. {_reason(error)} Publish again.")


def _reason(error: Exception) -> str:
    # Only our own errors are written for readers; others may tell what they should not.
    if isinstance(error, VisualReviewError):
        return str(error)
    return f"The last time it was a {type(error).__name__}; the service's log tells more."


def _process(build_id: str) -> None:
    build = Build.objects.select_related("repository", "product").filter(pk=build_id).first()
    # The job may come twice: repeated after a kill, or queued again by a rescue.
    if build is None or build.status != PROCESSING:
        return
    verify_images(build)
    # Before the build shows as completed: whoever publishes next plans with what was measured.
    record_capabilities(build)
    complete(build_id, measure(build))
