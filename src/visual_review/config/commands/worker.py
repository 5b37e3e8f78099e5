"""The worker: runs jobs, sends heartbeats, and requeues the jobs of killed workers."""

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from typing import Any, Never

from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, OperationalError, close_old_connections
from opentelemetry.trace import SpanKind
from procrastinate import App, PsycopgConnector
from procrastinate.connector import BaseAsyncConnector
from procrastinate.contrib.django import app
from procrastinate.contrib.django.utils import connector_params
from procrastinate.exceptions import ConnectorException
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job, Notification
from procrastinate.manager import JobManager, NotificationCallback
from procrastinate.worker import Worker
from psycopg_pool import PoolTimeout

from visual_review.builds.comparing.engine_report import (
    EngineUnavailableError,
    describe_comparison,
)
from visual_review.config.commands.job_listener import JobListener
from visual_review.config.environment import (
    WORKER_METRICS_PORT,
    EnvironmentInvalidError,
    StartupError,
    direct_database_url,
)
from visual_review.config.http.metrics import serve_metrics
from visual_review.config.idle_memory import keep_releasing_memory
from visual_review.jobs.queues import Slots, slots_of_worker
from visual_review.jobs.turns import Turns
from visual_review.jobs.upkeep.rescue_interrupted_jobs import (
    HEARTBEAT_SECONDS,
    Heartbeats,
    requeue_own_jobs,
    rescue_interrupted_jobs,
    send_heartbeats,
)
from visual_review.kernel.metrics import JOB_SECONDS
from visual_review.kernel.tracing import TRACEPARENT, open_span, start_tracing
from visual_review.kernel.usable_cores import usable_cores
from visual_review.repositories.failed_jobs import record_failure

CONCURRENCY = "VISUAL_REVIEW_WORKER_CONCURRENCY"
RECORDINGS = "VISUAL_REVIEW_WORKER_RECORDINGS"
DEFAULT_RECORDINGS = 2
MOST_DIGITS = 6
# A job that takes longer to finish is requeued and runs again after the next start.
GRACE_SECONDS = 20.0
POLL_SECONDS = 2.0
# For fetching and rescuing jobs, without waiting for running jobs.
SPARE_THREADS = 4
FORGOTTEN_AFTER_SECONDS = 24 * 60 * 60.0
# A probe counts a worker as dead if it handles no event for so long.
PROBE_SECONDS = 5.0
# In the list of PostgreSQL's connections, where losing this connection ends the worker.
HEARTBEAT_CONNECTION = "visual-review heartbeat"
logger = logging.getLogger(__name__)


def read_worker_options(variables: Mapping[str, str]) -> tuple[int | None, int]:
    """Return how many builds (None: by the cores) and recordings are processed at a time."""
    builds = _read(variables, CONCURRENCY, least=1)
    recordings = _read(variables, RECORDINGS, least=0)
    return builds, DEFAULT_RECORDINGS if recordings is None else recordings


def _read(variables: Mapping[str, str], name: str, *, least: int) -> int | None:
    text = variables.get(name, "").strip()
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else -1
    if number < least:
        raise EnvironmentInvalidError(
            f"{name} must be an integer, {least} or greater, not '{text[:40]}'."
        )
    return number


class TurnsJobManager(JobManager):
    """Procrastinate's manager, except that organizations take turns, and queues share a listener."""

    def __init__(
        self,
        connector: BaseAsyncConnector,
        turns: Turns,
        listener: JobListener,
        fetch_lock: asyncio.Lock,
    ) -> None:
        super().__init__(connector)
        self.turns = turns
        self.listener = listener
        self.fetch_lock = fetch_lock
        # Whether the last fetch reached the queue.
        self.fetches = True

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:  # noqa: ARG002 - The turns know their queue.
        async with self.fetch_lock:
            row = await sync_to_async(self._fetch, thread_sensitive=False)(worker_id)
        return None if row is None else Job.from_row(row)

    def _fetch(self, worker_id: int) -> dict[str, object] | None:
        close_old_connections()
        try:
            row = self.turns.fetch(worker_id)
        except OperationalError as error:
            # All connections are in use, or the database accepts none: the next poll tries again.
            # If the database is unavailable, the heartbeat ends the worker.
            logger.warning("no job of the queue '%s' was fetched: %s", self.turns.queue, error)
            self.fetches = False
            return None
        finally:
            close_old_connections()
        self.fetches = True
        return row

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> Never:
        await self.listener.notify(on_notification, queues)


class QueueWorker(Worker):
    """Procrastinate's worker, which survives a lack of connections, and misses no job meanwhile.

    Procrastinate forgets at the end of a fetch which jobs were announced during the fetch, although
    the fetch may have read the queue before. So announcements wait for a running fetch.
    """

    def __init__(self, worker_app: App, manager: TurnsJobManager, **options: Any) -> None:  # noqa: ANN401 - Those of procrastinate.
        super().__init__(worker_app, **options)
        worker_app.job_manager = manager
        self.manager = manager

    @property
    def is_started(self) -> bool:
        return self.worker_id is not None

    @property
    def is_ready(self) -> bool:
        return self.is_started and self.manager.fetches

    async def _process_job(self, context: JobContext) -> None:
        await super()._process_job(context)
        # More jobs of the organization may wait, for which there was no share while this job ran.
        async with self.manager.fetch_lock:
            self._new_job_event.set()

    async def _handle_notification(self, *, channel: str, notification: Notification) -> None:
        async with self.manager.fetch_lock:
            await super()._handle_notification(channel=channel, notification=notification)

    async def _periodic_deferrer(self) -> None:
        while True:
            try:
                return await super()._periodic_deferrer()  # type: ignore[no-untyped-call,no-any-return]
            except ConnectorException as error:
                # The deferrer begins with the periods missed in the last minutes.
                logger.warning("periodic jobs were not enqueued: %s", error.__cause__)
            await asyncio.sleep(HEARTBEAT_SECONDS)


def run(concurrency: int | None, recordings: int, *, alone: bool) -> None:
    """Run jobs until SIGTERM or SIGINT. ``alone``: no other worker uses the database.

    Builds are processed ``concurrency`` at a time, by default as many as there are cores, in
    threads that wait for the database and the storage. Images are compared in threads shared by all
    builds.
    """
    start_tracing("visual-review-worker")
    keep_releasing_memory()
    builds = concurrency or usable_cores()
    if alone:
        # Earlier ones are dead, however recent their heartbeat.
        rescue_interrupted_jobs(None)
        close_old_connections()
    logger.info("processing %s builds and %s recordings at a time", builds, recordings)
    logger.info("%s", _require_engine())
    try:
        asyncio.run(_work(slots_of_worker(builds, recordings)))
    except ConnectorException as error:
        raise StartupError(
            "The worker lost its connection to the database. No job is lost; start the worker "
            "again when the database is available ('visual-review up' does this automatically)."
        ) from error


def run_by_environment() -> None:
    """Run as the only worker of the database, with the options of the environment."""
    builds, recordings = read_worker_options(os.environ)
    run(builds, recordings, alone=True)


def _require_engine() -> str:
    # Every build would fail otherwise, one screenshot at a time.
    try:
        return describe_comparison()
    except EngineUnavailableError as error:
        raise StartupError(str(error)) from error


async def _work(slots: Sequence[Slots]) -> None:
    async with open_workers(slots) as workers:
        rescuing = asyncio.create_task(_keep_rescuing(workers))
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, _stop, workers)
        _serve_metrics(asyncio.get_running_loop(), workers)
        try:
            await run_all(workers)
        finally:
            rescuing.cancel()


def _serve_metrics(loop: asyncio.AbstractEventLoop, workers: Sequence[QueueWorker]) -> None:
    """Serve the figures and the probes of the worker, if a port is set for them."""

    def is_alive() -> bool:
        try:
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(PROBE_SECONDS)
        except TimeoutError:
            return False
        return True

    def is_started() -> bool:
        return all(worker.is_started for worker in workers)

    def is_ready() -> bool:
        return all(worker.is_ready for worker in workers)

    if settings.WORKER_METRICS_PORT:
        serve_metrics(
            (settings.METRICS_HOST, settings.WORKER_METRICS_PORT),
            WORKER_METRICS_PORT,
            # A worker without a database ends by itself.
            {"/healthz": is_alive, "/startupz": is_started, "/readyz": is_ready},
        )


@asynccontextmanager
async def open_workers(slots: Sequence[Slots]) -> AsyncIterator[list[QueueWorker]]:
    """Open the two connections of the workers: one for all queues, one for notifications."""
    # The default has fewer threads than there are slots on a small machine.
    threads = sum(each.count for each in slots) + SPARE_THREADS
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(threads, "job"))
    # Only the worker itself uses the asynchronous connector, so heartbeats never wait for jobs.
    # Jobs use Django's pool, so that a job's writes and new jobs share one transaction.
    kwargs = {**connector_params(), "application_name": HEARTBEAT_CONNECTION}
    connector = PsycopgConnector(kwargs=kwargs, min_size=1, max_size=1)
    listener = JobListener(direct_database_url(), [each.queue for each in slots])
    # Queues fetch one after the other, so an idle worker keeps one connection, not one a queue.
    fetch_lock = asyncio.Lock()
    async with _worker_app(connector).open_async() as worker_app:
        worker_app.perform_import_paths()  # type: ignore[no-untyped-call]
        listening = asyncio.create_task(listener.run())
        try:
            yield [_queue_worker(connector, each, listener, fetch_lock) for each in slots]
        finally:
            listening.cancel()


async def run_all(workers: Sequence[Worker]) -> None:
    """Run all until one ends, by a signal or an error; then the others end too."""
    running = [asyncio.create_task(worker.run()) for worker in workers]  # type: ignore[no-untyped-call]
    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
    for worker in workers:
        worker.stop()  # type: ignore[no-untyped-call]
    await asyncio.wait(running)
    for each in running:
        each.result()


def _queue_worker(
    connector: BaseAsyncConnector, slots: Slots, listener: JobListener, fetch_lock: asyncio.Lock
) -> QueueWorker:
    worker_app = _worker_app(connector)
    turns = Turns(slots.queue, slots.share)
    manager = TurnsJobManager(connector, turns, listener, fetch_lock)
    defaults = worker_app.worker_defaults or {}
    return QueueWorker(
        worker_app,
        manager,
        queues=[slots.queue],
        concurrency=slots.count,
        name=None,
        fetch_job_polling_interval=POLL_SECONDS,
        # Never reached: the timeout would abort running jobs, counting as a failure.
        shutdown_graceful_timeout=2 * GRACE_SECONDS,
        update_heartbeat_interval=HEARTBEAT_SECONDS,
        # Pruning deletes only rows, but after a jump of the clock the rows of all workers.
        stalled_worker_timeout=FORGOTTEN_AFTER_SECONDS,
        install_signal_handlers=False,
        # Procrastinate's own returns the connection when the job has ended.
        task_middleware=[
            measure_job,
            *(defaults.get("task_middleware") or []),
            record_last_failure,
            run_with_connection,
        ],
    )


def measure_job(run: Callable[[], object], context: JobContext, _worker: Worker) -> object:
    """Run a job in its thread and in the trace of the enqueuer, and count the outcome."""
    job = context.job
    # No argument of the job's function.
    traceparent = str(job.task_kwargs.pop(TRACEPARENT, ""))
    start, outcome = time.perf_counter(), "failed"
    try:
        with open_span(job.task_name, SpanKind.CONSUMER, traceparent) as span:
            span.set_attribute("visual_review.attempt", job.attempts + 1)
            result = run()
        outcome = "succeeded"
    finally:
        JOB_SECONDS.labels(job.task_name, outcome).observe(time.perf_counter() - start)
    return result


def record_last_failure(
    run_job: Callable[[], object], context: JobContext, worker: Worker
) -> object:
    """Run a job, and store the reason of a failure that is not retried."""
    try:
        return run_job()
    except Exception as error:
        task = worker.find_task(context.job.task_name)
        if context.job.id and task.get_retry_exception(exception=error, job=context.job) is None:
            # Without the database, the job does not count as failed either, and runs again.
            with suppress(DatabaseError):
                record_failure(context.job.id, error)
        raise


def run_with_connection(run_job: Callable[[], object], context: JobContext, _: Worker) -> object:
    """Run a job again as long as no connection to the database is free: no job is lost.

    A job must not fail because other processes hold all connections, and every job is idempotent.
    """
    while True:
        try:
            return run_job()
        except OperationalError as error:
            if not isinstance(error.__cause__, PoolTimeout) or context.should_abort():
                raise
            logger.warning(
                "job %s (%s) waits for a connection to the database: %s",
                context.job.id,
                context.job.task_name,
                error,
            )


def _worker_app(connector: BaseAsyncConnector) -> App:
    return app.with_connector(connector)


async def _keep_rescuing(workers: Sequence[Worker]) -> None:
    heartbeats = Heartbeats()
    while True:
        # If the database is unavailable, the heartbeat ends the worker.
        with suppress(DatabaseError):
            await sync_to_async(_rescue_once, thread_sensitive=False)(heartbeats, _ids(workers))
        await asyncio.sleep(HEARTBEAT_SECONDS)


def _ids(workers: Sequence[Worker]) -> list[int]:
    return [worker.worker_id for worker in workers if worker.worker_id is not None]


def _rescue_once(heartbeats: Heartbeats, own: Sequence[int]) -> None:
    close_old_connections()
    try:
        # Procrastinate's stop with the signal, while jobs go on.
        send_heartbeats(own)
        rescue_interrupted_jobs(heartbeats)
    finally:
        close_old_connections()


def _stop(workers: Sequence[Worker]) -> None:
    """Start no more jobs. Threads cannot be stopped: after the grace period, jobs are requeued."""
    ids = _ids(workers)
    for worker in workers:
        worker.stop()  # type: ignore[no-untyped-call]
    if ids:
        timer = threading.Timer(GRACE_SECONDS, _requeue_and_exit, [ids])
        timer.daemon = True
        timer.start()


def _requeue_and_exit(worker_ids: Sequence[int]) -> None:
    try:
        for worker_id in worker_ids:
            requeue_own_jobs(worker_id)
    finally:
        os._exit(0)
