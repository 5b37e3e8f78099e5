"""Retries the unfinished jobs of a killed worker; deletes finished jobs after a while.

Procrastinate records a heartbeat of each worker, but leaves finding the jobs of dead workers to the
application.
"""

import logging
import time
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from asgiref.sync import async_to_sync
from django.db import connection, transaction
from procrastinate.contrib.django import app
from procrastinate.contrib.django.models import ProcrastinateWorker
from procrastinate.exceptions import UniqueViolation
from procrastinate.jobs import Job, Status

from visual_review.kernel.locks import try_advisory_lock
from visual_review.repositories.failed_jobs import delete_old_failures

HEARTBEAT_SECONDS = 5.0
# Three missed heartbeats: a machine stalling briefly is not dead.
DEAD_AFTER_SECONDS = 15.0
# The clocks of this machine and of the database may differ.
LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
KEEP_FINISHED = timedelta(days=7)
HOUR = timedelta(hours=1)

logger = logging.getLogger(__name__)


class Heartbeats:
    """Finds dead workers: their heartbeat stays the same for some seconds of our own clock.

    The database's clock may jump. By database times, all workers would then look dead, or dead
    workers alive.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[datetime, float]] = {}

    def find_dead(self, heartbeats: Mapping[int, datetime], moment: float) -> set[int]:
        """Return the ids of dead workers; ``moment`` is in seconds of a monotonic clock."""
        new = {worker: (heartbeat, moment) for worker, heartbeat in heartbeats.items()}
        for worker, seen in self._seen.items():
            if worker in new and new[worker][0] == seen[0]:
                new[worker] = seen
        self._seen = new
        return {
            worker for worker, (_, since) in new.items() if moment - since >= DEAD_AFTER_SECONDS
        }


def send_heartbeats(worker_ids: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE procrastinate_workers SET last_heartbeat = now() WHERE id = ANY(%s)",
            [list(worker_ids)],
        )


def rescue_interrupted_jobs(heartbeats: Heartbeats | None, moment: float | None = None) -> int:
    """Put the jobs of dead workers back into the queue; return how many.

    Without ``heartbeats``, all workers are dead. Of several workers, only one rescues at a time: a
    second rescue could interrupt a job just restarted by the first.
    """
    with transaction.atomic():
        is_first = try_advisory_lock("rescue_interrupted_jobs")
        running = list(app.job_manager.list_jobs(status=Status.DOING.value)) if is_first else []
        alive = _find_alive(running, heartbeats, moment or time.monotonic()) if heartbeats else ()
        interrupted = [job for job in running if job.worker_id not in alive]
        for job in interrupted:
            _requeue(job)
            logger.warning("job %s (%s) was interrupted and runs again", job.id, job.task_name)
    return len(interrupted)


def _find_alive(jobs: Sequence[Job], heartbeats: Heartbeats, moment: float) -> Collection[int]:
    workers = ProcrastinateWorker.objects.filter(pk__in=[each.worker_id for each in jobs])
    found = dict(workers.values_list("pk", "last_heartbeat"))
    return found.keys() - heartbeats.find_dead(found, moment)


def requeue_own_jobs(worker_id: int) -> None:
    """Put the jobs of an ending worker back into the queue."""
    with transaction.atomic():
        for job in app.job_manager.list_jobs(status=Status.DOING.value, worker_id=worker_id):
            _requeue(job)
            logger.warning("job %s (%s) was requeued unfinished", job.id, job.task_name)


def _requeue(job: Job) -> None:
    if job.id is None:
        raise ValueError("A job of the queue has an id.")
    try:
        with transaction.atomic():
            app.job_manager.retry_job_by_id(job.id, retry_at=LONG_AGO)
    except UniqueViolation:
        # An equal job is waiting already, so this job has nothing left to do.
        async_to_sync(app.job_manager.finish_job)(job, Status.ABORTED, delete_job=False)


# Not on the hour, when other machines' periodic jobs start too.
@app.periodic(cron="17 * * * *")
# Queued jobs have the old name.
@app.task(name="forget_finished_jobs", queue="upkeep", queueing_lock="forget_finished_jobs")
def delete_finished_jobs(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    """Delete jobs a week after their end; failed jobs stay four times as long for debugging."""
    delete = async_to_sync(app.job_manager.delete_old_jobs)
    delete(KEEP_FINISHED // HOUR, include_cancelled=True, include_aborted=True)
    delete(4 * KEEP_FINISHED // HOUR, include_failed=True)
    delete_old_failures()
