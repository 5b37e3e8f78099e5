"""A failed job in the queue, in the form a worker leaves behind."""

import json

from django.db import connection

from visual_review.repositories.models import JobFailure

INSERT = """
INSERT INTO procrastinate_jobs (queue_name, task_name, status, attempts, queueing_lock, args)
VALUES ('builds', %s, 'doing', 7, %s, %s) RETURNING id
"""


def fail_job(name: str, reason: str = "", once: str | None = None, **arguments: object) -> int:
    """Return the number of the job; without a reason, none was recorded."""
    with connection.cursor() as cursor:
        cursor.execute(INSERT, [name, once, json.dumps(arguments)])
        row: tuple[int] = cursor.fetchone()
        cursor.execute("UPDATE procrastinate_jobs SET status = 'failed' WHERE id = %s", row)
    if reason:
        JobFailure.objects.create(job_id=row[0], reason=reason)
    return row[0]
