"""Enqueues jobs by name, in the caller's transaction."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued


@dataclass(frozen=True)
class QueuedJob:
    """A job to enqueue with others; its fields are the arguments of ``enqueue``."""

    name: str
    arguments: dict[str, Any]
    lock: str | None = None
    delay_seconds: int = 0
    priority: int | None = None


def enqueue_jobs(jobs: Iterable[QueuedJob]) -> None:
    """Enqueue the jobs in their order, in one statement; none of them may be waiting already."""
    found = [
        app.configure_task(
            name=job.name, **_options(job.lock, None, job.delay_seconds, job.priority)
        ).make_new_job(**job.arguments)
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
    """Enqueue ``job``; it becomes visible to workers when the transaction commits.

    Jobs with the same ``lock`` run one after the other. While a job with the same ``once``
    waits, another one is not added. ``priority`` replaces the job's own: of an organization's
    jobs, the one with the highest runs first.
    """
    options = _options(lock, once, delay_seconds, priority)
    try:
        # The savepoint keeps the caller's transaction usable if the job is already waiting.
        with transaction.atomic():
            app.configure_task(name=job, **options).defer(**arguments)
    except AlreadyEnqueued:
        return


def _options(
    lock: str | None, once: str | None, delay_seconds: int, priority: int | None
) -> dict[str, Any]:
    options: dict[str, Any] = {"lock": lock, "queueing_lock": once}
    if delay_seconds:
        options["schedule_in"] = {"seconds": delay_seconds}
    if priority is not None:
        options["priority"] = priority
    return options
