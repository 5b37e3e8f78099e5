"""A job without a connection to the database."""

import asyncio
import time
from typing import Never

import pytest
from django.db import OperationalError
from procrastinate.contrib.django import app
from procrastinate.exceptions import ConnectorException
from procrastinate.job_context import JobContext
from procrastinate.jobs import Job
from procrastinate.periodic import PeriodicDeferrer
from psycopg_pool import PoolTimeout

from visual_review.config.commands import worker
from visual_review.config.commands.job_listener import JobListener
from visual_review.config.commands.worker import QueueWorker, _queue_worker, run_with_connection
from visual_review.jobs.queues import slots_of_worker
from visual_review.jobs.turns import Turns

JOB = Job(id=1, queue="builds", lock=None, queueing_lock=None, task_name="process_build")


def context_of_job(*, aborted: bool = False) -> JobContext:
    return JobContext(
        app=app,
        job=JOB,
        start_timestamp=time.time(),
        abort_reason=lambda: "shutdown" if aborted else None,  # type: ignore[arg-type,return-value]
    )


class UnconnectedJob:
    """A job that finds no connection a number of times."""

    def __init__(self, times: int) -> None:
        self.left, self.runs = times, 0

    def run(self) -> str:
        self.runs += 1
        if self.left:
            self.left -= 1
            raise OperationalError("no connection") from PoolTimeout()
        return "done"


def test_it_runs_again_until_it_has_a_connection() -> None:
    job = UnconnectedJob(times=3)
    assert run_with_connection(job.run, context_of_job(), None) == "done"  # type: ignore[arg-type]
    assert job.runs == 4


def test_it_gives_up_when_the_worker_stops() -> None:
    job = UnconnectedJob(times=3)
    with pytest.raises(OperationalError):
        run_with_connection(job.run, context_of_job(aborted=True), None)  # type: ignore[arg-type]
    assert job.runs == 1


def test_other_errors_of_the_database_are_those_of_the_job() -> None:
    def fail() -> Never:
        raise OperationalError("deadlock detected")

    with pytest.raises(OperationalError, match="deadlock"):
        run_with_connection(fail, context_of_job(), None)  # type: ignore[arg-type]


def worker_of_builds() -> QueueWorker:
    [builds] = [each for each in slots_of_worker(1, 0) if each.queue == "builds"]
    return _queue_worker(app.connector, builds, JobListener("", []), asyncio.Lock())


def test_a_worker_is_not_ready_while_it_reaches_no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Never:
        raise OperationalError("too many clients")

    builds = worker_of_builds()
    builds.worker_id = 1
    for fetch, is_ready in ((fail, False), (lambda *_: None, True)):
        monkeypatch.setattr(Turns, "fetch", fetch)
        assert asyncio.run(builds.manager.fetch_job(None, 1)) is None
        assert builds.is_ready is is_ready
    builds.worker_id = None
    assert not builds.is_ready


def test_periodic_jobs_are_enqueued_after_a_lack_of_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    attempts = []

    async def enqueue(_: PeriodicDeferrer) -> None:
        attempts.append(1)
        if len(attempts) == 1:
            raise ConnectorException from PoolTimeout()

    monkeypatch.setattr(PeriodicDeferrer, "worker", enqueue)
    monkeypatch.setattr(worker, "HEARTBEAT_SECONDS", 0)
    asyncio.run(asyncio.wait_for(worker_of_builds()._periodic_deferrer(), 10))  # noqa: SLF001 - Procrastinate calls it.
    assert len(attempts) == 2
