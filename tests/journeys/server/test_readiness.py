"""The state of each dependency in ``/readyz``."""

import asyncio
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection
from psycopg_pool import ConnectionPool, PoolTimeout
from pytest_django.fixtures import Settings
from starlette.requests import Request
from starlette.responses import Response

from tests.support.servers.worker import database_environment
from visual_review.config.environment import DATABASE_URL
from visual_review.config.http import health
from visual_review.config.http.health import Readiness, check_database, check_storage
from visual_review.config.http.threads import RequestThreads
from visual_review.kernel import blobs

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_workers(transactional_db: None) -> Iterator[None]:  # noqa: ARG001 - It opens the database.
    """Empty a table of the queue, since Django leaves its rows."""
    _delete_workers()
    yield
    _delete_workers()


def _delete_workers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_workers")


def add_heartbeat(seconds_ago: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) "
            "VALUES (now() - make_interval(secs => %s))",
            [seconds_ago],
        )


def test_it_is_ready_with_a_recent_heartbeat() -> None:
    add_heartbeat(seconds_ago=5)
    assert check_database() == ("ok", "ok")


def test_a_missing_heartbeat_is_reported() -> None:
    add_heartbeat(seconds_ago=60)
    assert check_database() == ("ok", "none seen for 30 seconds")
    assert check_storage() == "ok"


def test_a_pool_without_a_free_connection_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    # The thread of the test has the only one.
    connection.ensure_connection()
    pool: ConnectionPool = connection.pool  # type: ignore[attr-defined]
    largest = pool.max_size
    monkeypatch.setattr(pool, "timeout", 0.1)
    monkeypatch.setenv(DATABASE_URL, database_environment()[DATABASE_URL])
    pool.resize(1, 1)
    idle = []
    try:
        with suppress(PoolTimeout):
            while True:
                idle.append(pool.getconn())
        with ThreadPoolExecutor(1) as other:
            database, worker = other.submit(check_database).result()
    finally:
        for each in idle:
            pool.putconn(each)
        pool.resize(1, largest)
    assert (database, worker) == (
        "not available: all connections of this process are in use (VISUAL_REVIEW_DATABASE_POOL)",
        "unknown",
    )


def test_a_storage_that_cannot_be_written_is_reported(settings: Settings, tmp_path: Path) -> None:
    add_heartbeat(seconds_ago=5)
    # A file has the name of the folder for the probe.
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "probe").write_text("in the way")
    settings.STORAGE_URL = (tmp_path / "storage").as_uri()
    assert check_storage() == "cannot be written or read"


def test_a_full_storage_is_a_full_disk_and_does_not_prevent_a_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_heartbeat(seconds_ago=5)
    monkeypatch.setattr(blobs, "MINIMUM_FREE_BYTES", 2**60)

    async def ask() -> list[Response]:
        readiness = Readiness(RequestThreads(1))
        scope = {"type": "http", "query_string": b"", "headers": [], "client": ("127.0.0.1", 1)}
        started = await readiness.respond_started(Request(scope))
        return [started, await readiness.respond(Request(scope))]

    started, ready = asyncio.run(ask())
    assert (started.status_code, ready.status_code) == (200, 503)
    states = json.loads(bytes(ready.body))
    assert (states["disk"], states["storage"]) == ("the disk is full", "ok")


def test_a_storage_that_does_not_respond_is_asked_once_and_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    probes, end = [], threading.Event()

    def never_respond() -> str:
        probes.append(1)
        end.wait(30)
        return "ok"

    monkeypatch.setattr(health, "check_storage", never_respond)
    monkeypatch.setattr(health, "STORAGE_SECONDS", 0.1)

    async def ask() -> list[str]:
        readiness = Readiness(RequestThreads(1))
        found = [await readiness.check_storage() for _ in range(3)]
        end.set()
        return found

    assert asyncio.run(ask()) == ["no response within 0 seconds"] * 3
    assert len(probes) == 1


def test_a_process_that_could_work_once_has_started(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    working, broken = settings.STORAGE_URL, (tmp_path / "storage").as_uri()
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "probe").write_text("in the way")
    monkeypatch.setattr(health, "FRESH_SECONDS", 0.0)
    monkeypatch.setattr(health, "FRESH_WHILE_NOT_READY_SECONDS", 0.0)

    async def ask() -> list[int]:
        readiness = Readiness(RequestThreads(1))
        found = []
        for url in (broken, working, broken):
            settings.STORAGE_URL = url
            for respond in (readiness.respond_started, readiness.respond):
                path = {"type": "http", "query_string": b"exclude=worker", "headers": []}
                found.append((await respond(Request(path))).status_code)
        return found

    # Readiness comes and goes, and a start comes once.
    assert asyncio.run(ask()) == [503, 503, 200, 200, 200, 503]
