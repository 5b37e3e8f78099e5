"""The worker: runs jobs, tells that it lives, and brings back what a killed worker left."""

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

# A job that takes longer to finish is given back and runs again after the next start.
GRACE_SECONDS = 20.0
POLL_SECONDS = 2.0

logger = logging.getLogger(__name__)


def run(concurrency: int, *, alone: bool) -> None:
    """Work until SIGTERM or SIGINT. ``alone`` says that no other worker lives on this database.

    Jobs run in threads, ``concurrency`` at a time: what they spend time on (waiting for the
    database and the storage, inflating, arrays) lets other threads run meanwhile.
    """
    # Whoever was alone before us is dead now, however young its heartbeat.
    rescue_interrupted_jobs(0.0 if alone else DEAD_AFTER_SECONDS)
    close_old_connections()
    logger.info("taking jobs, %s at a time", concurrency)
    try:
        asyncio.run(_work(concurrency))
    except ConnectorException as error:
        raise StartupError(
            "The worker lost the database. Its jobs are kept; start it again when the database "
            "answers (visual-review up does so by itself)."
        ) from error


async def _work(concurrency: int) -> None:
    # Only the worker's own traffic takes the asynchronous connector. Jobs keep Django's, so
    # that what they enqueue is in the transaction of what they write.
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
        raise TypeError("The worker must be started with Django's connector in place.")
    return app.with_connector(connector.get_worker_connector())


async def _keep_rescuing() -> None:
    while True:
        await asyncio.sleep(HEARTBEAT_SECONDS)
        # A database that is away ends the worker by its own heartbeat.
        with suppress(DatabaseError):
            await sync_to_async(_rescue_once, thread_sensitive=False)()


def _rescue_once() -> None:
    close_old_connections()
    try:
        rescue_interrupted_jobs()
    finally:
        close_old_connections()


def _stop(worker: Worker) -> None:
    """Take no more jobs. Threads cannot be stopped: a job beyond the grace is given back."""
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
