"""Enqueues jobs by name, in the caller's transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from django.db import IntegrityError, connection, transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.jobs import JobDeferrer
from procrastinate.tasks import configure_task

from visual_review.kernel.tracing import current_traceparent


@dataclass(frozen=True)
class JobQueue:
    """Where a job waits; of an organization's jobs there, the highest priority runs first."""

    name: str
    priority: int = 0


BUILDS: Final = JobQueue("builds")
THUMBNAILS: Final = JobQueue("thumbnails")
# People wait for builds before merging; a video can be watched a little later.
RECORDINGS: Final = JobQueue("recordings", priority=-10)
HOSTS: Final = JobQueue("hosts")
MESSAGES: Final = JobQueue("messages")
UPKEEP: Final = JobQueue("upkeep")
CLEANING: Final = JobQueue("cleaning")

QUEUES: Final = {
    "ask_pull_request": HOSTS,
    "ask_repository": HOSTS,
    "carry_to_target": BUILDS,
    "check_access": HOSTS,
    "check_branches": HOSTS,
    "compare_build": BUILDS,
    "deliver_messages": MESSAGES,
    "deliver_messages_later": MESSAGES,
    "delete_baseline": CLEANING,
    "delete_drawn_pictures": CLEANING,
    "delete_expired_builds": CLEANING,
    "delete_recording": UPKEEP,
    "delete_unused_images": CLEANING,
    "forget_person": UPKEEP,
    "handle_delivery": HOSTS,
    "link_repositories": HOSTS,
    "mail_password_change": UPKEEP,
    "mail_password_link": UPKEEP,
    "measure_storage": UPKEEP,
    "process_build": BUILDS,
    "process_recording": RECORDINGS,
    "remove_repository": CLEANING,
    "render_thumbnails": THUMBNAILS,
    "request_owners": MESSAGES,
    "sweep_unused_images": CLEANING,
    "tell_host": HOSTS,
    "tell_host_later": HOSTS,
    "tell_payments": UPKEEP,
}


RUN_AGAIN: Final = """
UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL
WHERE id = %s AND status = 'failed'
"""
GIVE_WAY: Final = """
UPDATE procrastinate_jobs SET status = 'aborted' WHERE id = %s AND status = 'failed'
"""


@dataclass(frozen=True)
class QueuedJob:
    """A job to enqueue with others; the fields are the arguments of ``enqueue``."""

    name: str
    arguments: dict[str, Any]
    lock: str | None = None
    delay_seconds: int = 0
    priority: int | None = None


def enqueue_jobs(jobs: Iterable[QueuedJob]) -> None:
    """Enqueue the jobs in order, in one statement; none of the jobs may be waiting already."""
    found = [
        _deferrer(job.name, job.lock, None, job.delay_seconds, job.priority).make_new_job(
            **job.arguments, **current_traceparent()
        )
        for job in jobs
    ]
    if found:
        app.job_manager.batch_defer_jobs(found)


def enqueue(
    job: str,
    *,
    lock: str | None = None,
    once: str | None = None,
    delay_seconds: int = 0,
    priority: int | None = None,
    **arguments: Any,  # noqa: ANN401 - Job arguments are any JSON.
) -> None:
    """Enqueue ``job``; workers see the job when the transaction commits.

    Jobs with the same ``lock`` run one after the other. While a job with the same ``once``
    waits, another one is not added. ``priority`` replaces the job's own.
    """
    deferrer = _deferrer(job, lock, once, delay_seconds, priority)
    try:
        # The savepoint keeps the caller's transaction usable if the job is already waiting.
        with transaction.atomic():
            deferrer.defer(**arguments, **current_traceparent())
    except AlreadyEnqueued:
        return


def run_job_again(job_id: int) -> None:
    """Put a failed job back into its queue, with all of its attempts.

    The job is done if an equal job waits already, or if the job has not failed.
    """
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(RUN_AGAIN, [job_id])
    except IntegrityError:
        with connection.cursor() as cursor:
            cursor.execute(GIVE_WAY, [job_id])


def _deferrer(
    job: str, lock: str | None, once: str | None, delay_seconds: int, priority: int | None
) -> JobDeferrer:
    queue = QUEUES[job]
    # The app's own method would first import the modules of all jobs.
    return configure_task(
        name=job,
        job_manager=app.job_manager,
        queue=queue.name,
        lock=lock,
        queueing_lock=once,
        schedule_in={"seconds": delay_seconds} if delay_seconds else None,
        priority=queue.priority if priority is None else priority,
    )
