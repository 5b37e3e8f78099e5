"""A PostgreSQL that runs but does not respond is restarted, with its data."""

import os
import signal
import time
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql

from tests.support.servers.service import open_folder
from tests.support.servers.template import copy_cluster, superuser_url
from visual_review.config.standalone.postgres import EmbeddedPostgres, PostgresWatchdog
from visual_review.config.standalone.postgres_folder import ROLE


@pytest.fixture(scope="module")
def postgres() -> Iterator[EmbeddedPostgres]:
    with open_folder() as folder:
        server = EmbeddedPostgres(folder / "postgres", copy_cluster(folder))
        server.start()
        yield server
        server.stop()


def wait_until_stuck(watchdog: PostgresWatchdog) -> None:
    deadline = time.monotonic() + 60
    while not watchdog.is_stuck():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_server_that_responds_is_not_restarted(postgres: EmbeddedPostgres) -> None:
    watchdog = PostgresWatchdog(postgres, silence_limit=30)
    watchdog.last_check -= 40
    watchdog.last_response -= 40
    assert not watchdog.is_stuck()


def test_a_server_at_its_limit_of_connections_is_not_restarted(postgres: EmbeddedPostgres) -> None:
    role = sql.Identifier(ROLE)
    with psycopg.connect(superuser_url(postgres), autocommit=True) as server:
        server.execute(sql.SQL("ALTER ROLE {} CONNECTION LIMIT 0").format(role))
        try:
            with pytest.raises(psycopg.OperationalError, match="too many connections"):
                psycopg.connect(postgres.url)
            watchdog = PostgresWatchdog(postgres, silence_limit=30)
            watchdog.last_check -= 40
            watchdog.last_response -= 40
            assert not watchdog.is_stuck()
        finally:
            server.execute(sql.SQL("ALTER ROLE {} CONNECTION LIMIT -1").format(role))


def test_a_server_that_does_not_respond_is_restarted_with_its_data(
    postgres: EmbeddedPostgres,
) -> None:
    with psycopg.connect(postgres.url) as connection:
        connection.execute("CREATE TABLE committed AS SELECT 7 AS number")
    assert postgres.process is not None
    os.kill(postgres.process.pid, signal.SIGSTOP)
    watchdog = PostgresWatchdog(postgres, silence_limit=1)
    wait_until_stuck(watchdog)
    watchdog.restart()
    with psycopg.connect(postgres.url) as connection:
        assert connection.execute("SELECT number FROM committed").fetchone() == (7,)
