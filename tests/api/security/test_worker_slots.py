"""The worker itself, on a real queue: what runs while other jobs hold their slots."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import connection
from procrastinate.contrib.django import app
from procrastinate.worker import Worker
from psycopg.conninfo import make_conninfo

from visual_review.config.commands import worker
from visual_review.config.commands.worker import open_workers, run_all
from visual_review.config.environment import DIRECT_DATABASE_URL
from visual_review.jobs.queues import slots_of_worker
from visual_review.jobs.turns import Turns
from visual_review.kernel.errors import UnavailableError
from visual_review.kernel.queue import QUEUES, JobQueue, enqueue
from visual_review.repositories.failed_jobs import FailedJob, list_failed_jobs

WAIT_SECONDS = 60


@dataclass
class Jobs:
    """Jobs that only say that they run; those named so stay until ``released``."""

    started: set[str] = field(default_factory=set)
    released: threading.Event = field(default_factory=threading.Event)

    def run(self, name: str, organization_id: str) -> None:
        self.started.add(f"{organization_id} {name}")
        if name == "broken":
            raise UnavailableError("The storage does not respond.")
        if name.startswith("long"):
            assert self.released.wait(WAIT_SECONDS)
        # Long enough for a fetch to begin meanwhile.
        time.sleep(0.1)

    def wait_for(self, *expected: str) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not self.started >= set(expected):
            assert time.monotonic() < deadline, self.started
            time.sleep(0.02)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Jobs]:
    made = Jobs()
    queues = [each.queue for each in slots_of_worker(1, 1)]
    for queue in queues:
        app.task(made.run, name=f"test_{queue}", queue=queue, retry=queue == "builds")
        monkeypatch.setitem(QUEUES, f"test_{queue}", JobQueue(queue))
    yield made
    for queue in queues:
        del app.tasks[f"test_{queue}"]


@pytest.fixture
def workers() -> Iterator[list[Worker]]:
    with running_workers() as running:
        yield running


@contextmanager
def running_workers(*queues: str) -> Iterator[list[Worker]]:
    """Run the workers of the queues, by default all, in a thread until the end of the block."""
    every = slots_of_worker(builds=1, recordings=2)
    slots = [each for each in every if not queues or each.queue in queues]
    running: list[Worker] = []
    loop = asyncio.new_event_loop()

    async def work() -> None:
        async with open_workers(slots) as opened:
            running.extend(opened)
            await run_all(opened)

    thread = threading.Thread(target=loop.run_until_complete, args=(work(),))
    thread.start()
    try:
        yield running
    finally:
        loop.call_soon_threadsafe(running[0].stop)
        thread.join(WAIT_SECONDS)
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()


def url_of_database() -> str:
    connection.ensure_connection()
    info = connection.connection.info
    return make_conninfo(password=info.password, **info.get_parameters())


def add(queue: str, organization: str, name: str) -> None:
    enqueue(f"test_{queue}", name=name, organization_id=organization)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("workers")
def test_no_job_waits_for_the_work_of_another_organization_or_kind(jobs: Jobs) -> None:
    for organization in ("a", "b"):
        add("recordings", organization, "long recording")
        add("recordings", organization, "second recording")
    add("builds", "a", "long build")
    add("builds", "a", "second build")
    long = ["a long recording", "b long recording", "a long build"]
    jobs.wait_for(*long)
    for queue in ("builds", "hosts", "upkeep"):
        add(queue, "c", f"{queue} job")
    jobs.wait_for("c builds job", "c hosts job", "c upkeep job")
    # Of a and b, nothing else has begun.
    assert jobs.started == {*long, "c builds job", "c hosts job", "c upkeep job"}
    jobs.released.set()
    jobs.wait_for("a second recording", "b second recording", "a second build")


@pytest.fixture
def _slow_fetches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let fetches return some time after reading the queue, as on a busy machine."""
    fetch = Turns.fetch

    def fetch_slowly(turns: Turns, worker_id: int) -> dict[str, Any] | None:
        row = fetch(turns, worker_id)
        time.sleep(0.3)
        return row

    monkeypatch.setattr(Turns, "fetch", fetch_slowly)


@pytest.fixture
def _no_polling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "POLL_SECONDS", 10 * WAIT_SECONDS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_no_polling", "_slow_fetches")
def test_the_next_job_of_an_organization_begins_when_one_ends(jobs: Jobs) -> None:
    # Jobs that are there before the worker are found without a notification.
    for name in ("long build", "second build", "third build"):
        add("builds", "a", name)
    with running_workers("builds"):
        jobs.wait_for("a long build")
        # The worker looks for another job meanwhile, and finds none with a free share.
        time.sleep(1)
        jobs.released.set()
        # The second one ends while the worker looks for another job.
        jobs.wait_for("a second build", "a third build")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_no_polling", "_slow_fetches")
def test_a_job_announced_during_a_fetch_begins(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DIRECT_DATABASE_URL, url_of_database())
    with running_workers("builds"):
        # The first fetch has read the queue, and has not returned.
        time.sleep(0.2)
        add("builds", "a", "build")
        jobs.wait_for("a build")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("workers", "jobs")
def test_a_job_that_is_not_tried_again_is_listed_with_its_reason() -> None:
    add("builds", "a", "broken")
    add("hosts", "a", "broken")
    deadline, failed = time.monotonic() + WAIT_SECONDS, list[FailedJob]()
    while not failed:
        assert time.monotonic() < deadline
        time.sleep(0.02)
        failed = list_failed_jobs()
    assert [(each.name, each.reason) for each in failed] == [
        ("test_hosts", "The storage does not respond.")
    ]
