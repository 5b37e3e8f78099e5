"""The worker: runs jobs, sends heartbeats, and requeues the jobs of killed workers."""

import asyncio
import logging
import os
import signal
import threading
from contextlib import suppress

from asgiref.sync import sync_to_async
from django.db import DatabaseError, close_old_connections
from procrastinate import App
from procrastinate.contrib.django import app
from procrastinate.contrib.django.django_connector import DjangoConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from visual_review.config.errors import StartupError
from visual_review.jobs.upkeep.rescue_interrupted_jobs import (
    DEAD_AFTER_SECONDS,
    HEARTBEAT_SECONDS,
    requeue_own_jobs,
    rescue_interrupted_jobs,
)

# A job that takes longer to finish is requeued and runs again after the next start.
GRACE_SECONDS = 20.0
POLL_SECONDS = 2.0

logger = logging.getLogger(__name__)


def run(concurrency: int, *, alone: bool) -> None:
    """Run jobs until SIGTERM or SIGINT. ``alone``: no other worker uses this database.

    Jobs run in threads, ``concurrency`` at a time: what takes them time (waiting for the
    database and the storage, decompression, arrays) releases the interpreter lock.
    """
    # If we are the only worker, earlier ones are dead, however recent their heartbeat.
    rescue_interrupted_jobs(0.0 if alone else DEAD_AFTER_SECONDS)
    close_old_connections()
    logger.info("running jobs, %s at a time", concurrency)
    try:
        asyncio.run(_work(concurrency))
    except ConnectorException as error:
        raise StartupError(
            "The worker lost its connection to the database. No job is lost; start the worker "
            "again when the database is available ('visual-review up' does this automatically)."
        ) from error


async def _work(concurrency: int) -> None:
    # Only the worker itself uses the asynchronous connector. Jobs keep Django's, so that they
    # enqueue in the same transaction as they write.
    async with _worker_app().open_async() as worker_app:
        worker_app.perform_import_paths()  # type: ignore[no-untyped-call]
        worker = Worker(
            worker_app,
            concurrency=concurrency,
            name=None,
            fetch_job_polling_interval=POLL_SECONDS,
            shutdown_graceful_timeout=GRACE_SECONDS,
            update_heartbeat_interval=HEARTBEAT_SECONDS,
            stalled_worker_timeout=DEAD_AFTER_SECONDS,
            install_signal_handlers=False,
            task_middleware=list((worker_app.worker_defaults or {}).get("task_middleware") or []),
        )
        rescuing = asyncio.create_task(_keep_rescuing())
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, _stop, worker)
        try:
            await worker.run()  # type: ignore[no-untyped-call]
        finally:
            rescuing.cancel()


def _worker_app() -> App:
    connector = app.connector
    if not isinstance(connector, DjangoConnector):
        raise TypeError("The worker needs Django's connector.")
    return app.with_connector(connector.get_worker_connector())


async def _keep_rescuing() -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        # If the database is unavailable, the heartbeat of the worker ends it.
        with suppress(DatabaseError):
            await sync_to_async(_rescue_once, thread_sensitive=False)()


def _rescue_once() -> None:
    close_old_connections()
    try:
        rescue_interrupted_jobs()
    finally:
        close_old_connections()


def _stop(worker: Worker) -> None:
    """Start no more jobs. Threads cannot be stopped: after the grace period, jobs are requeued."""
    worker_id = worker.worker_id
    worker.stop()  # type: ignore[no-untyped-call]
    if worker_id is not None:
        timer = threading.Timer(GRACE_SECONDS, _requeue_and_exit, [worker_id])
        timer.daemon = True
        timer.start()


def _requeue_and_exit(worker_id: int) -> None:
    try:
        requeue_own_jobs(worker_id)
    finally:
        os._exit(0)
