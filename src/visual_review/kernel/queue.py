"""Enqueues jobs by name, in the caller's transaction."""

from typing import Any

from django.db import transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued
from procrastinate.tasks import configure_task

from visual_review.kernel.job_queues import QUEUES


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
    waits, another one is not added. ``priority`` replaces the job's own.
    """
    queue = QUEUES[job]
    # The app's own method would first import the modules of all jobs.
    deferrer = configure_task(
        name=job,
        job_manager=app.job_manager,
        queue=queue.name,
        lock=lock,
        queueing_lock=once,
        schedule_in={"seconds": delay_seconds} if delay_seconds else None,
        priority=queue.priority if priority is None else priority,
    )
    try:
        # The savepoint keeps the caller's transaction usable if the job is already waiting.
        with transaction.atomic():
            deferrer.defer(**arguments)
    except AlreadyEnqueued:
        return
