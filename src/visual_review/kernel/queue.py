"""Enqueues jobs by name, in the caller's transaction."""

from typing import Any

from django.db import transaction
from procrastinate.contrib.django import app
from procrastinate.exceptions import AlreadyEnqueued


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
    options: dict[str, Any] = {"lock": lock, "queueing_lock": once}
    if delay_seconds:
        options["schedule_in"] = {"seconds": delay_seconds}
    if priority is not None:
        options["priority"] = priority
    try:
        # The savepoint keeps the caller's transaction usable if the job is already waiting.
        with transaction.atomic():
            app.configure_task(name=job, **options).defer(**arguments)
    except AlreadyEnqueued:
        return
