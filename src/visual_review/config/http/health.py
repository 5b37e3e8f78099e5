"""Readiness: the database, the storage, and the heartbeat of a worker."""

import logging
from dataclasses import dataclass

from django.db import Error, connection

from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import UnavailableError

PROBE = "probe/ready"
# The worker's heartbeat comes every five seconds.
WORKER_SEEN_SECONDS = 30
OK = "ok"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Readiness:
    """The state of each dependency: ``ok``, or what is wrong with it."""

    database: str
    storage: str
    worker: str

    @property
    def ready(self) -> bool:
        return {self.database, self.storage, self.worker} == {OK}


def check_readiness() -> Readiness:
    """Check each dependency once, in this thread, and close the connection."""
    try:
        database, worker = _database_and_worker()
        return Readiness(database, _storage(), worker)
    finally:
        connection.close()


def _database_and_worker() -> tuple[str, str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM procrastinate_workers "
                "WHERE last_heartbeat > now() - make_interval(secs => %s)",
                [WORKER_SEEN_SECONDS],
            )
            row = cursor.fetchone()
    except Error as error:
        logger.warning("the database is not available: %s", error)
        return "not available", "unknown"
    seen = row is not None and row[0] > 0
    return OK, OK if seen else f"none seen for {WORKER_SEEN_SECONDS} seconds"


def _storage() -> str:
    try:
        store = blob_store()
        store.put(PROBE, b"probe")
        store.get(PROBE)
    except (UnavailableError, OSError) as error:
        logger.warning("the storage is not available: %s", error)
        return "cannot be written or read"
    return OK
