"""Retries jobs that a killed worker left unfinished; deletes finished jobs after a while.

Procrastinate records a heartbeat of each worker, and leaves it to the application to find the
jobs of workers without one.
"""

import logging
from datetime import timedelta

from asgiref.sync import async_to_sync
from django.db import transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

from visual_review.kernel.clock import now
from visual_review.kernel.locks import advisory_lock
from visual_review.repositories.failed_jobs import delete_old_failures

HEARTBEAT_SECONDS = 5.0
# Three missed heartbeats: a machine that stalls briefly is not dead.
DEAD_AFTER_SECONDS = 15.0
KEEP_FINISHED = timedelta(days=7)
HOUR = timedelta(hours=1)

logger = logging.getLogger(__name__)


def rescue_interrupted_jobs(dead_after_seconds: float = DEAD_AFTER_SECONDS) -> int:
    """Put the jobs of dead workers back into the queue; return how many.

    Of several workers that do this at once, one does it: a second one could interrupt a job that
    the first one's rescue has already restarted.
    """
    with transaction.atomic(), advisory_lock("rescue_interrupted_jobs") as mine:
        interrupted = _stalled_jobs(dead_after_seconds) if mine else []
        for job in interrupted:
            _requeue(job)
            logger.warning("job %s (%s) was interrupted and runs again", job.id, job.task_name)
    return len(interrupted)


def requeue_own_jobs(worker_id: int) -> None:
    """Put the jobs of one worker that is about to end back into the queue."""
    with transaction.atomic():
        for job in app.job_manager.list_jobs(status=Status.DOING.value, worker_id=worker_id):
            _requeue(job)
            logger.warning("job %s (%s) was requeued unfinished", job.id, job.task_name)


def _stalled_jobs(seconds: float) -> list[Job]:
    return list(async_to_sync(app.job_manager.get_stalled_jobs)(seconds_since_heartbeat=seconds))


def _requeue(job: Job) -> None:
    if job.id is None:
        raise ValueError("A job of the queue has an id.")
    try:
        with transaction.atomic():
            app.job_manager.retry_job_by_id(job.id, retry_at=now())
    except UniqueViolation:
        # An equal job is waiting already, so this one has nothing left to do.
        async_to_sync(app.job_manager.finish_job)(job, Status.ABORTED, delete_job=False)


# Not on the hour, when other machines' periodic jobs start too.
@app.periodic(cron="17 * * * *")
# Queued jobs have this name.
@app.task(name="forget_finished_jobs", queue="upkeep", queueing_lock="forget_finished_jobs")
def delete_finished_jobs(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    """Delete jobs a week after they ended; failed ones stay four times as long for debugging."""
    delete = async_to_sync(app.job_manager.delete_old_jobs)
    delete(KEEP_FINISHED // HOUR, include_cancelled=True, include_aborted=True)
    delete(4 * KEEP_FINISHED // HOUR, include_failed=True)
    delete_old_failures()
