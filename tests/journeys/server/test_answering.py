"""A PostgreSQL that runs but answers no one is noticed, and brought back with its data."""

import os
import signal
import time
from collections.abc import Iterator

import psycopg
import pytest

from tests.support.servers.service import open_folder
from tests.support.servers.template import copy_cluster
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_watchdog import PostgresWatchdog


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    with open_folder() as folder:
        server = EmbeddedPostgres(folder / "postgres", copy_cluster(folder))
        server.start()
        yield server
        server.stop()


def wait_until_stuck(watch: PostgresWatchdog) -> None:
    deadline = time.monotonic() + 60
    while not watch.stuck():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_server_that_answers_is_left_alone(postgres: EmbeddedPostgres) -> None:
    watch = PostgresWatchdog(postgres, patience=0.5)
    watch.asked -= 10
    assert not watch.stuck()


def test_a_silent_server_is_started_again_with_what_was_committed(
    postgres: EmbeddedPostgres,
) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")
    assert postgres.process is not None
    os.kill(postgres.process.pid, signal.SIGSTOP)
    watch = PostgresWatchdog(postgres, patience=1)
    wait_until_stuck(watch)
    watch.restart()
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT number FROM kept").fetchone() == (7,)
