"""Enqueues removal again for repositories that have lost their job.

The job is enqueued when the repository is marked as removed. A job can still be lost: deleted by
hand, or failed for good while the storage was unavailable for days.
"""

import logging
from datetime import timedelta

from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.kernel.clock import now
from visual_review.repositories.connect import REMOVE_REPOSITORY, enqueue_removal
from visual_review.repositories.models import Repository

LOST_AFTER = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def resume_lost_removals() -> int:
    """Enqueue every repository without a job that was removed a while ago; return how many."""
    waiting = Repository.objects.filter(removed_at__lt=now() - LOST_AFTER)
    ids = list(waiting.values_list("pk", flat=True))
    if not ids:
        return 0
    # Query jobs after the repositories: a job that ends in between has nothing left to do.
    jobs = ProcrastinateJob.objects.filter(
        task_name=REMOVE_REPOSITORY, status__in=("todo", "doing")
    )
    queued_ids = set(jobs.values_list("args__repository_id", flat=True))
    lost = [repository_id for repository_id in ids if repository_id not in queued_ids]
    for repository_id in lost:
        enqueue_removal(repository_id)
        logger.warning(
            "repository %s had lost its removal, which was enqueued again", repository_id
        )
    return len(lost)


@app.periodic(cron="*/15 * * * *")
@app.task(name="resume_removals", queue="upkeep", queueing_lock="resume_removals")
def resume_removals(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    resume_lost_removals()
