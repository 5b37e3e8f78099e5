"""Readiness: the database, the storage, the threads for pages, and the heartbeat of a worker."""

import asyncio
import logging
import os
from dataclasses import asdict, dataclass
from typing import Final

import psycopg
from django.conf import settings
from django.db import Error, connection
from psycopg_pool import PoolTimeout
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from visual_review.accounts.client_address import is_loopback
from visual_review.config.environment import DATABASE_POOL, DATABASE_URL
from visual_review.config.http.threads import PROBE_SECONDS, RequestThreads
from visual_review.config.logs import mask
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.disk_reserve import DiskReserve
from visual_review.kernel.errors import StorageFullError, UnavailableError

PROBE = "probe/ready"
# The worker's heartbeat comes every five seconds.
WORKER_SEEN_SECONDS = 30
OK = "ok"
FULL = "the disk is full"
# Clients of storage wait far longer, and try again.
STORAGE_SECONDS: Final = 3.0
CONNECT_SECONDS: Final = 3
# Requests within this time get the same response, so that no one can load the database.
FRESH_SECONDS: Final = 1.0
# During a start, while a dependency is missing, the next request soon sees the change.
FRESH_WHILE_NOT_READY_SECONDS: Final = 0.2

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Dependencies:
    """The states of dependencies outside this process: ``ok``, or a description of the problem."""

    database: str
    storage: str
    worker: str
    disk: str

    @property
    def ready(self) -> bool:
        return {self.database, self.storage, self.worker, self.disk} == {OK}


class Readiness:
    """``/readyz``: 200 if everything works, otherwise 503; on this machine with the details.

    A full disk is reported to everyone, as on all pages. ``?exclude=worker`` leaves a state out, as
    Kubernetes' own ``/readyz`` does. ``/startupz`` is 200 from the first time on that the process
    could work.
    """

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads
        self._checking: asyncio.Task[dict[str, str]] | None = None
        self._checked_at = float("-inf")
        self._fresh_seconds = FRESH_SECONDS
        self._probing: asyncio.Task[str] | None = None
        self._started = False

    async def respond(self, request: Request) -> Response:
        excluded = request.query_params.getlist("exclude")
        states = {
            name: state for name, state in (await self._states()).items() if name not in excluded
        }
        ready = set(states.values()) <= {OK}
        body = {"status": "ready" if ready else "not ready"}
        if states.get("disk", OK) != OK:
            body["disk"] = states["disk"]
        # The details are for the operator, and not for everyone with access to the service.
        if _is_local(request):
            body |= states
        return JSONResponse(body, 200 if ready else 503, {"cache-control": "no-store"})

    async def respond_started(self, _request: Request) -> Response:
        if not self._started:
            states = await self._states()
            # A worker starts by itself, and a full disk still allows reading.
            self._started = {states[name] for name in ("database", "storage", "pages")} == {OK}
        body = {"status": "started" if self._started else "not started"}
        return JSONResponse(body, 200 if self._started else 503, {"cache-control": "no-store"})

    async def _states(self) -> dict[str, str]:
        now = asyncio.get_running_loop().time()
        if self._checking is None or (
            self._checking.done() and now - self._checked_at > self._fresh_seconds
        ):
            self._checked_at = now
            self._checking = asyncio.create_task(self._check_all())
        return await asyncio.shield(self._checking)

    async def _check_all(self) -> dict[str, str]:
        (database, worker), storage, pages = await asyncio.gather(
            run_in_threadpool(check_database), self.check_storage(), self._threads.respond()
        )
        disk = check_disk()
        if storage == FULL:
            # Reading works, so the storage is no reason to wait for a start.
            storage, disk = OK, FULL if disk == OK else disk
        dependencies = Dependencies(database, storage, worker, disk)
        stuck = f"no thread became free for {PROBE_SECONDS:.0f} seconds"
        ready = dependencies.ready and pages
        self._fresh_seconds = FRESH_SECONDS if ready else FRESH_WHILE_NOT_READY_SECONDS
        return {**asdict(dependencies), "pages": OK if pages else stuck}

    async def check_storage(self) -> str:
        """Return the storage's response within some seconds; one probe runs at a time."""
        if self._probing is None or self._probing.done():
            self._probing = asyncio.create_task(run_in_threadpool(check_storage))
        try:
            async with asyncio.timeout(STORAGE_SECONDS):
                return await asyncio.shield(self._probing)
        except TimeoutError:
            return f"no response within {STORAGE_SECONDS:.0f} seconds"


def _is_local(request: Request) -> bool:
    """Whether the request comes from this machine, and from no proxy on it."""
    forwarded = {"forwarded", "x-forwarded-for"} & set(request.headers)
    return request.client is not None and is_loopback(request.client.host) and not forwarded


def check_database() -> tuple[str, str]:
    """Return the states of database and worker, and close the connection."""
    try:
        return _database_and_worker()
    finally:
        connection.close()


def _database_and_worker() -> tuple[str, str]:
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM procrastinate_workers "
                # After the clock was set back, a heartbeat may lie in the future.
                "WHERE abs(extract(epoch FROM now() - last_heartbeat)) < %s",
                [WORKER_SEEN_SECONDS],
            )
            row = cursor.fetchone()
    except Error as error:
        state = _describe_outage(error)
        logger.warning("the database is %s", state)
        return state, "unknown"
    seen = row is not None and row[0] > 0
    return OK, OK if seen else f"none seen for {WORKER_SEEN_SECONDS} seconds"


def _describe_outage(error: Error) -> str:
    """Return why there is no connection: the pool only says how long a thread waited for one."""
    url = os.environ[DATABASE_URL]
    try:
        psycopg.connect(url, connect_timeout=CONNECT_SECONDS).close()
    except psycopg.Error as cause:
        return f"not available: {mask(str(cause)).strip()}"
    if isinstance(error.__cause__, PoolTimeout):
        return f"not available: all connections of this process are in use ({DATABASE_POOL})"
    return f"not available: {mask(str(error)).strip()}"


def check_disk() -> str:
    reserve: DiskReserve | None = settings.DISK_RESERVE
    return reserve.describe() if reserve is not None and reserve.is_full() else OK


def check_storage() -> str:
    try:
        store = blob_store()
        store.put(PROBE, b"probe")
        store.get(PROBE)
    except StorageFullError as error:
        logger.warning("the storage is full: %s", error)
        return FULL
    except (UnavailableError, OSError) as error:
        logger.warning("the storage is not available: %s", error)
        return "cannot be written or read"
    return OK
