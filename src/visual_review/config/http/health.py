"""Whether this process can do its work: database, storage, and a worker seen lately."""

import logging
from dataclasses import dataclass

from django.db import Error, connection

from visual_review.kernel.blobs import blob_store
from visual_review.kernel.errors import UnavailableError

PROBE = "probe/ready"
# The worker's heartbeat comes every five seconds.
WORKER_SEEN_SECONDS = 30
FINE = "ok"

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Readiness:
    """A word for each part: ``ok``, or what is wrong with it."""

    database: str
    storage: str
    worker: str

    @property
    def ready(self) -> bool:
        return {self.database, self.storage, self.worker} == {FINE}


def look() -> Readiness:
    """Ask each part once, in this thread, and leave no connection behind."""
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
        logger.warning("the database does not answer: %s", error)
        return "does not answer", "unknown"
    seen = row is not None and row[0] > 0
    return FINE, FINE if seen else f"none seen for {WORKER_SEEN_SECONDS} seconds"


def _storage() -> str:
    try:
        store = blob_store()
        store.put(PROBE, b"probe")
        store.get(PROBE)
    except (UnavailableError, OSError) as error:
        logger.warning("the storage does not answer: %s", error)
        return "cannot be written or read"
    return FINE
