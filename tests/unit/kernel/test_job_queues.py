"""The queues of jobs enqueued by name, next to the queues declared by the jobs."""

from procrastinate.contrib.django import app

from visual_review.kernel.queue import QUEUES

BUILTIN = "builtin"


def test_the_table_has_every_job_that_is_no_schedule_with_its_queue() -> None:
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    declared = {
        name: (task.queue, task.priority)
        for name, task in app.tasks.items()
        # Jobs with a lock of their own are enqueued by the clock alone.
        if task.queue != BUILTIN and task.queueing_lock is None
    }
    assert {name: (each.name, each.priority) for name, each in QUEUES.items()} == declared
