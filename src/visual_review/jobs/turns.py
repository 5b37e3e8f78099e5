"""Fetches the next job of a queue such that organizations take turns.

The queue's own order is by priority and age: the organization with the most queued jobs is served
most. Here the organization with the fewest running jobs comes first; of equals, the one served
longest ago.
"""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import connection, transaction

# Fetching and its limits must see the same running jobs, also of other workers.
FETCH_LOCK: Final = 0x5655
# Forgotten organizations correctly count as served long ago.
REMEMBERED: Final = 1000
# Jobs without an organization take turns by their purpose.
OWNER: Final = (
    "coalesce(args->>'organization_id', args->>'repository_id', args->>'account_id', "
    "args->>'user_id', args->>'charge_id', '')"
)
# Of several jobs with the same lock, only the first may run, and only while no other is running.
READY: Final = f"""
WITH waiting AS MATERIALIZED (
    SELECT id, queue_name, priority, scheduled_at, lock, {OWNER} AS owner,
        lock IS NULL OR 1 = row_number() OVER (PARTITION BY lock ORDER BY priority DESC, id)
            AS is_first
    FROM procrastinate_jobs WHERE status = 'todo'
), running AS MATERIALIZED (
    SELECT queue_name, lock, worker_id, {OWNER} AS owner
    FROM procrastinate_jobs WHERE status = 'doing'
), owners AS (
    SELECT owner, count(*) AS everywhere,
        count(*) FILTER (WHERE worker_id = %(worker)s) AS here
    FROM running WHERE queue_name = %(queue)s GROUP BY owner
), ready AS (
    SELECT waiting.*, coalesce(everywhere, 0) AS everywhere, coalesce(here, 0) AS here
    FROM waiting LEFT JOIN owners USING (owner)
    WHERE queue_name = %(queue)s AND is_first
        AND (scheduled_at IS NULL OR scheduled_at <= now())
        AND (lock IS NULL OR lock NOT IN (SELECT lock FROM running WHERE lock IS NOT NULL))
)
"""  # noqa: S608 - Made of the constant above.
FETCH: Final = f"""{READY}
UPDATE procrastinate_jobs SET status = 'doing', worker_id = %(worker)s
WHERE status = 'todo' AND id = (
    SELECT id FROM ready
    WHERE everywhere < %(everywhere)s AND here < %(here)s
    ORDER BY everywhere, array_position(%(served)s::text[], owner) NULLS FIRST, priority DESC, id
    LIMIT 1
)
RETURNING id, status, task_name, priority, lock, queueing_lock, args::text, scheduled_at,
    queue_name, attempts, worker_id, {OWNER} AS owner
"""  # noqa: S608 - As above.
OTHERS_WAIT: Final = f"{READY} SELECT EXISTS (SELECT 1 FROM ready WHERE everywhere = 0)"  # noqa: S608 - As above.

BUSY: Final = """
SELECT EXISTS (
    SELECT 1 FROM procrastinate_jobs WHERE queue_name = %s AND (
        status = 'doing' OR status = 'todo' AND (scheduled_at IS NULL OR scheduled_at <= now())
    )
)
"""


@dataclass(frozen=True)
class Share:
    """How many jobs of a queue one organization may run: in one worker, and in all workers."""

    here: int
    everywhere: int


@dataclass
class Turns:
    """The turns of one queue in one worker."""

    queue: str
    share: Share
    # The organization served last is last.
    served: deque[str] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def fetch(self, worker_id: int) -> dict[str, Any] | None:
        """Mark the next job as running in this worker; return its row, or None if none is ready."""
        row = _fetch(self.queue, self.share, worker_id, self.served)
        if row is not None:
            owner = row.pop("owner")
            if owner in self.served:
                self.served.remove(owner)
            self.served.append(owner)
        return row


def others_wait(queue: str) -> bool:
    """Return whether an organization has a waiting job in the queue, and no running job."""
    with connection.cursor() as cursor:
        cursor.execute(OTHERS_WAIT, {"queue": queue, "worker": None})
        row: tuple[bool] = cursor.fetchone()
    return row[0]


def is_busy(queue: str) -> bool:
    """Return whether a job of the queue is running, or is ready to run."""
    with connection.cursor() as cursor:
        cursor.execute(BUSY, [queue])
        row: tuple[bool] = cursor.fetchone()
    return row[0]


def _fetch(
    queue: str, share: Share, worker_id: int, served: Sequence[str]
) -> dict[str, Any] | None:
    values: dict[str, Any] = {
        "queue": queue,
        "worker": worker_id,
        "here": share.here,
        "everywhere": share.everywhere,
        "served": list(served),
    }
    with transaction.atomic(), connection.cursor() as cursor:
        # A statement of its own: the next statement then sees the changes of the last holder.
        cursor.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [FETCH_LOCK, queue])
        cursor.execute(FETCH, values)
        found = cursor.fetchone()
        names = [column.name for column in cursor.description or ()]
    if found is None:
        return None
    row = dict(zip(names, found, strict=True))
    return {**row, "args": json.loads(row["args"])}
