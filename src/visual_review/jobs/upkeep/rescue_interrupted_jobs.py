"""Jobs cut by a killed worker run again; finished ones are forgotten after a while.

Procrastinate notes a heartbeat for each worker, and leaves it to the application to look for
jobs whose worker has none any more.
"""

import logging
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from procrastinate import sql
from procrastinate.contrib.django import app

from visual_review.kernel.clock import now

HEARTBEAT_SECONDS = 5.0
# Three missed heartbeats: a machine that stutters is not yet dead.
DEAD_AFTER_SECONDS = 15.0
KEEP_FINISHED = timedelta(days=7)

logger = logging.getLogger(__name__)


def rescue_interrupted_jobs(dead_after_seconds: float = DEAD_AFTER_SECONDS) -> int:
    """Put the jobs of dead workers back into the queue; answers how many.

    Several workers may do this at once: a row belongs to whoever locked it first.
    """
    with transaction.atomic():
        # The name comes after the query's lock: rows another rescuer holds are passed over.
        cut = _select(
            f"{sql.queries['select_stalled_jobs_by_heartbeat']} FOR UPDATE OF job SKIP LOCKED",
            {"queue": None, "task_name": None, "seconds_since_heartbeat": dead_after_seconds},
        )
        for job_id, task in cut:
            _run_again(job_id)
            logger.warning("job %s (%s) was cut and runs again", job_id, task)
    return len(cut)


def requeue_own_jobs(worker_id: int) -> None:
    """Put the jobs of one worker that is about to end back into the queue."""
    with transaction.atomic():
        running = _select(
            "SELECT id, task_name FROM procrastinate_jobs "
            "WHERE status = 'doing' AND worker_id = %(worker)s FOR UPDATE",
            {"worker": worker_id},
        )
        for job_id, task in running:
            _run_again(job_id)
            logger.warning("job %s (%s) was given back unfinished", job_id, task)


def _select(
    query: str, arguments: dict[str, str | int | float | datetime | list[str] | None]
) -> list[tuple[int, str]]:
    with connection.cursor() as cursor:
        cursor.execute(query, arguments)
        columns = [column.name for column in cursor.description or ()]
        rows = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
    return [(row["id"], row["task_name"]) for row in rows]


def _run_again(job_id: int) -> None:
    try:
        with transaction.atomic():
            _execute(
                sql.queries["retry_job"],
                {
                    "job_id": job_id,
                    "retry_at": now(),
                    "new_priority": None,
                    "new_queue_name": None,
                    "new_lock": None,
                },
            )
    except IntegrityError:
        # An equal job waits already, so this one has nothing left to do.
        _execute(
            sql.queries["finish_job"], {"job_id": job_id, "status": "failed", "delete_job": False}
        )


def _execute(
    query: str, arguments: dict[str, str | int | float | datetime | list[str] | None]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(query, arguments)


# Not at the full hour, when other machines' periodic work begins too.
@app.periodic(cron="17 * * * *")
@app.task(name="forget_finished_jobs", queue="upkeep", queueing_lock="forget_finished_jobs")
def forget_finished_jobs(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    """Delete jobs that ended a week ago; failed ones stay four times as long, to be looked at."""
    _delete(KEEP_FINISHED, ["succeeded", "cancelled", "aborted"])
    _delete(4 * KEEP_FINISHED, ["failed"])


def _delete(age: timedelta, statuses: list[str]) -> None:
    _execute(
        sql.queries["delete_old_jobs"],
        {"nb_hours": int(age.total_seconds() // 3600), "queue": None, "statuses": statuses},
    )
