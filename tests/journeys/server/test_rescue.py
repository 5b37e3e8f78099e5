"""Jobs left behind by a killed worker, on a real queue."""

import pytest
from django.db import connection

from visual_review.jobs.upkeep.rescue_interrupted_jobs import (
    Heartbeats,
    delete_finished_jobs,
    requeue_own_jobs,
    rescue_interrupted_jobs,
)

pytestmark = pytest.mark.django_db


def execute(query: str, *values: object) -> list[tuple[object, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return cursor.fetchall() if cursor.description else []


def worker(seconds_ago: int) -> int:
    """Store a worker with the last heartbeat ``seconds_ago``."""
    rows = execute(
        "INSERT INTO procrastinate_workers (last_heartbeat) "
        "VALUES (now() - make_interval(secs => %s)) RETURNING id",
        seconds_ago,
    )
    return int(str(rows[0][0]))


def job(status: str, worker_id: int | None = None, once: str | None = None) -> int:
    rows = execute(
        "INSERT INTO procrastinate_jobs (queue_name, task_name, status, worker_id, queueing_lock) "
        "VALUES ('builds', 'process_build', %s, %s, %s) RETURNING id",
        status,
        worker_id,
        once,
    )
    return int(str(rows[0][0]))


def status(job_id: int) -> object:
    return execute("SELECT status FROM procrastinate_jobs WHERE id = %s", job_id)[0][0]


def rescue(*pauses: int, beat: int | None = None) -> list[int]:
    """Look for dead workers now and after each of ``pauses``; ``beat`` lives meanwhile."""
    heartbeats, moment, found = Heartbeats(), 1000.0, []
    for pause in (0, *pauses):
        moment += pause
        execute(
            "UPDATE procrastinate_workers SET last_heartbeat = now() + random() * interval '1s' WHERE id = %s",
            beat,
        )
        found.append(rescue_interrupted_jobs(heartbeats, moment))
    return found


def test_a_job_of_a_dead_worker_waits_again() -> None:
    interrupted = job("doing", worker(seconds_ago=60))
    # A single observation may be a jump of the clock.
    assert rescue(5, 9, 1, 1) == [0, 0, 0, 1, 0]
    assert status(interrupted) == "todo"


def test_a_job_whose_worker_is_unknown_waits_again() -> None:
    interrupted = job("doing")
    assert rescue() == [1]
    assert status(interrupted) == "todo"


def test_a_job_of_a_living_worker_is_left_alone() -> None:
    alive = worker(seconds_ago=3)
    running = job("doing", alive)
    assert rescue(10, 10, 10, beat=alive) == [0, 0, 0, 0]
    assert status(running) == "doing"


def test_a_clock_that_was_set_back_hides_no_dead_worker() -> None:
    interrupted = job("doing", worker(seconds_ago=-3600))
    assert rescue(15) == [0, 1]
    assert status(interrupted) == "todo"


def test_a_rescued_job_can_run_at_once_whatever_the_time_here() -> None:
    interrupted = job("doing")
    rescue()
    query = "SELECT scheduled_at < now() - interval '1 year' FROM procrastinate_jobs WHERE id = %s"
    assert execute(query, interrupted) == [(True,)]


def test_a_worker_that_is_alone_takes_over_at_once() -> None:
    interrupted = job("doing", worker(seconds_ago=1))
    assert rescue_interrupted_jobs(None) == 1
    assert status(interrupted) == "todo"


def test_an_interrupted_job_gives_way_to_an_equal_one_that_waits(
    caplog: pytest.LogCaptureFixture,
) -> None:
    interrupted = job("doing", worker(seconds_ago=60), once="compare:1")
    waiting = job("todo", once="compare:1")
    assert rescue(15, 15) == [0, 1, 0]
    assert (status(interrupted), status(waiting)) == ("aborted", "todo")
    assert f"job {interrupted} (process_build) was interrupted and runs again" in caplog.text


def test_a_worker_that_ends_gives_back_its_own_jobs_alone() -> None:
    ending, other = worker(seconds_ago=0), worker(seconds_ago=0)
    mine, theirs = job("doing", ending), job("doing", other)
    requeue_own_jobs(ending)
    assert (status(mine), status(theirs)) == ("todo", "doing")


def age(job_id: int, days: int) -> None:
    execute(
        "UPDATE procrastinate_events SET at = now() - make_interval(days => %s) WHERE job_id = %s",
        days,
        job_id,
    )


@pytest.mark.parametrize(
    ("ended_as", "days", "kept"),
    [
        ("succeeded", 6, 1),
        ("succeeded", 8, 0),
        ("failed", 8, 1),
        ("failed", 29, 0),
        ("todo", 99, 1),
    ],
)
def test_finished_jobs_are_forgotten_in_time(ended_as: str, days: int, kept: int) -> None:
    ended = job("doing")
    execute("UPDATE procrastinate_jobs SET status = %s WHERE id = %s", ended_as, ended)
    age(ended, days)
    delete_finished_jobs(timestamp=0)
    assert execute("SELECT count(*) FROM procrastinate_jobs WHERE id = %s", ended) == [(kept,)]
