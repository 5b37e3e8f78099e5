"""Removed repositories that nobody deletes any more get a job again.

A removal is queued with the repository's mark. The job can be lost all the same: deleted by hand,
or failed for good while the storage was away for days.
"""

import logging
from datetime import timedelta

from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.kernel.clock import now
from visual_review.repositories.models import Repository
from visual_review.repositories.removal import REMOVE_REPOSITORY, enqueue_removal

LOST_AFTER = timedelta(minutes=5)

logger = logging.getLogger(__name__)


def resume_lost_removals() -> int:
    """Enqueue every repository that was removed a while ago and has no job; answers how many."""
    left = Repository.objects.filter(removed_at__lt=now() - LOST_AFTER)
    ids = list(left.values_list("pk", flat=True))
    if not ids:
        return 0
    # The job is looked for after the repository: one that ends in between leaves nothing to do.
    jobs = ProcrastinateJob.objects.filter(
        task_name=REMOVE_REPOSITORY, status__in=("todo", "doing")
    )
    alive = set(jobs.values_list("args__repository_id", flat=True))
    lost = [repository_id for repository_id in ids if repository_id not in alive]
    for repository_id in lost:
        enqueue_removal(repository_id)
        logger.warning("repository %s had lost its removal, which goes on", repository_id)
    return len(lost)


@app.periodic(cron="*/15 * * * *")
@app.task(name="resume_removals", queue="upkeep", queueing_lock="resume_removals")
def resume_removals(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    resume_lost_removals()
