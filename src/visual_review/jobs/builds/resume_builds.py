"""Enqueues processing again for builds that have lost their job.

A build and its job are stored together, so a job exists as long as its build is processed. A job
can still be lost: deleted by hand, or failed for good while the database could not store the
build's failure.
"""

import logging
from datetime import timedelta

from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.builds.job_queue import PROCESS_BUILD, enqueue_processing
from visual_review.builds.models import Build
from visual_review.builds.states import PROCESSING
from visual_review.kernel.clock import now

LOST_AFTER = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def resume_lost_builds() -> int:
    """Enqueue every build without a job that was published a while ago; return how many."""
    quiet_since = now() - LOST_AFTER
    waiting = Build.objects.filter(status=PROCESSING, last_upload_at__lt=quiet_since)
    found = dict(waiting.values_list("pk", "repository__organization_id"))
    if not found:
        return 0
    # Query jobs after the builds: a job that ends in between has nothing left to do.
    jobs = ProcrastinateJob.objects.filter(task_name=PROCESS_BUILD, status__in=("todo", "doing"))
    queued_ids = set(jobs.values_list("args__build_id", flat=True))
    lost = [build_id for build_id in found if build_id not in queued_ids]
    for build_id in lost:
        enqueue_processing(build_id, found[build_id])
        logger.warning("build %s had lost its job and was enqueued again", build_id)
    return len(lost)


@app.periodic(cron="*/5 * * * *")
@app.task(name="resume_builds", queue="upkeep", queueing_lock="resume_builds")
def resume_builds(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    resume_lost_builds()
