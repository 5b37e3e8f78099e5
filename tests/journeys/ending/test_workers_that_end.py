"""Workers that end within a comparison, by a signal or a kill, with another one next to them.

The comparison waits for a lock of the test, so that the test decides how long it takes.
"""

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from tests.support.personas import Personas
from tests.support.servers.service import Process, wait_until
from tests.support.servers.worker import database_environment
from tests.support.worlds import World, world_with_baseline
from visual_review.audit.log import SYSTEM
from visual_review.builds.models import Build
from visual_review.builds.publishing.finish import finish_shard
from visual_review.config.commands.worker import GRACE_SECONDS
from visual_review.jobs.upkeep.rescue_interrupted_jobs import DEAD_AFTER_SECONDS, HEARTBEAT_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)
WAITING: Final = "SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND NOT granted"
JOB: Final = (
    "SELECT id, status::text, worker_id, attempts FROM procrastinate_jobs "
    "WHERE task_name = 'process_build' ORDER BY id DESC LIMIT 1"
)


def row(query: str) -> tuple[object, ...]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return tuple(cursor.fetchone())


class Scene:
    """A build in processing; workers are processes."""

    def __init__(self, personas: Personas, folder: Path, workers: ExitStack) -> None:
        self.folder = folder
        self._workers = workers
        self._started = 0
        self.world: World = world_with_baseline(personas.alice, {"a": "red"})
        with connection.cursor() as cursor:
            # Of the baseline's build.
            cursor.execute("DELETE FROM procrastinate_jobs")
        self.build: Build = self.world.upload({"a": "green"})

    def start_worker(self) -> Process:
        self._started += 1
        environment = database_environment(
            VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY,
            VISUAL_REVIEW_STORAGE_URL=settings.STORAGE_URL,
        )
        worker = Process(["worker"], self.folder / f"worker-{self._started}.log", environment)
        self._workers.callback(worker.end, signal.SIGKILL)
        wait_until("it works", lambda: "builds and" in worker.written, worker)
        return worker

    @contextmanager
    def comparison_in_progress(self) -> Iterator[None]:
        """Have the build compared as far as the lock, held for the block."""
        with psycopg.connect(database_environment()["VISUAL_REVIEW_DATABASE_URL"]) as other:
            other.execute("LOCK TABLE builds_comparison IN SHARE MODE")
            finish_shard(self.world.repository, self.build.id, 1, SYSTEM)
            wait_until("a comparison waits", lambda: row(WAITING) == (1,))
            yield

    def wait_for_verdict(self, worker: Process) -> None:
        wait_until(
            "the build is compared",
            lambda: self.world.fresh(self.build).status == "completed",
            worker,
        )
        assert self.world.states(self.build) == {"a": "changed"}


@pytest.fixture
def scene(personas: Personas, tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as workers:
        yield Scene(personas, tmp_path, workers)


def job_state() -> dict[str, object]:
    return dict(zip(("id", "status", "worker", "attempts"), row(JOB), strict=True))


def test_a_worker_finishes_what_it_began_before_it_ends(scene: Scene) -> None:
    worker = scene.start_worker()
    with scene.comparison_in_progress():
        worker.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert worker.process.poll() is None
    assert worker.process.wait(20) == 0
    scene.wait_for_verdict(worker)
    assert (job_state()["status"], job_state()["attempts"]) == ("succeeded", 1)


@pytest.mark.deep
def test_what_a_worker_cannot_finish_is_run_by_another_at_once(scene: Scene) -> None:
    ending = scene.start_worker()
    with scene.comparison_in_progress():
        first = job_state()["worker"]
        other = scene.start_worker()
        ending.process.send_signal(signal.SIGTERM)
        assert ending.process.wait(GRACE_SECONDS + 10) == 0
        ended = time.monotonic()
        wait_until("another worker took it", lambda: job_state()["status"] == "doing", other)
        assert time.monotonic() - ended < DEAD_AFTER_SECONDS / 2
        assert job_state()["worker"] != first
    scene.wait_for_verdict(other)
    assert f"job {job_state()['id']} (process_build) was requeued unfinished" in ending.written
    assert "was interrupted" not in other.written


@pytest.mark.deep
@pytest.mark.parametrize("jump", ["0 hours", "1 hour", "-1 hour"])
def test_the_job_of_a_killed_worker_runs_again_and_the_log_says_so(scene: Scene, jump: str) -> None:
    """``jump``: the clock is set at the same moment, so all stored times look older or newer."""
    killed = scene.start_worker()
    with scene.comparison_in_progress():
        other = scene.start_worker()
        killed.process.kill()
        set_clock(jump)
        line = f"job {job_state()['id']} (process_build) was interrupted and runs again"
        wait_until("the log says so", lambda: line in other.written, other)
        wait_until("it runs again", lambda: job_state()["status"] == "doing", other)
    scene.wait_for_verdict(other)


@pytest.mark.deep
@pytest.mark.parametrize("jump", ["1 hour", "-1 hour"])
def test_a_clock_that_jumps_interrupts_no_worker(scene: Scene, jump: str) -> None:
    working = scene.start_worker()
    with scene.comparison_in_progress():
        before = job_state()
        other = scene.start_worker()
        set_clock(jump)
        # A starting worker deletes the rows of dead ones.
        third = scene.start_worker()
        time.sleep(DEAD_AFTER_SECONDS + 2 * HEARTBEAT_SECONDS)
        assert job_state() == before
    scene.wait_for_verdict(working)
    assert "interrupted" not in other.written + third.written
    assert working.end() == other.end() == third.end() == 0


def set_clock(jump: str) -> None:
    """Make stored heartbeats look as after a jump of the clock of the database's machine."""
    with connection.cursor() as cursor:
        query = "UPDATE procrastinate_workers SET last_heartbeat = last_heartbeat - %s::interval"
        cursor.execute(query, [jump])
