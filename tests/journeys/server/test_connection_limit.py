"""PostgreSQL accepts no more connections: the messages, and that nothing is lost meanwhile."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest
from psycopg import sql

from tests.support.crash.lanes import new_image
from tests.support.servers.service import Process, wait_until
from tests.support.servers.split_service import SplitService, exit_code, split_service
from tests.support.servers.tcp_postgres import TcpPostgres
from tests.support.servers.template import TESTS_SUPERUSER
from visual_review.config.commands.worker import HEARTBEAT_CONNECTION

LIMIT = 'too many connections for database "limited"'


@pytest.fixture
def service(postgres: TcpPostgres, tmp_path: Path) -> Iterator[SplitService]:
    database = postgres.new_database("limited", migrated=True)
    with split_service(tmp_path, database, VISUAL_REVIEW_DATABASE_POOL="4") as running:
        running.migrate()
        running.start_all({})
        yield running


class Limit:
    """The limit of the database; the superuser who sets the limit is exempt."""

    def __init__(self, postgres: TcpPostgres) -> None:
        self.url = postgres.url(TESTS_SUPERUSER, "postgres")

    def set(self, connections: int) -> None:
        self.run(f"ALTER DATABASE limited CONNECTION LIMIT {connections}")

    def has_heartbeat(self) -> bool:
        with psycopg.connect(self.url) as server:
            found = server.execute(
                "SELECT 1 FROM pg_stat_activity WHERE application_name = %s",
                [HEARTBEAT_CONNECTION],
            )
            return found.fetchone() is not None

    def end_connections_of(self, process: Process) -> None:
        """End a process's connections, but not the heartbeat's: a worker ends without heartbeat."""
        connections = psutil.Process(process.process.pid).net_connections()
        ports = ", ".join(str(each.laddr.port) for each in connections if each.raddr)
        self.run(
            f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE client_port IN "  # noqa: S608 - Numbers.
            f"({ports}) AND application_name <> '{HEARTBEAT_CONNECTION}'"
        )

    def run(self, statement: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as server:
            server.execute(sql.SQL(statement))


def test_requests_get_503_and_a_build_is_published_once_there_is_room(
    service: SplitService, postgres: TcpPostgres, tmp_path: Path
) -> None:
    connected = service.act("connect_repo", fullName="acme/shop")
    shown = tmp_path / "shown"
    shown.mkdir()
    (shown / "a--light-desktop.png").write_bytes(new_image())
    web, worker = service.processes
    limit = Limit(postgres)
    wait_until("the worker sends heartbeats", limit.has_heartbeat)
    limit.set(0)
    limit.end_connections_of(web)
    limit.end_connections_of(worker)
    refused = service.post("list_repos")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert refused.json()["detail"].startswith("The database did not respond.")
    page = httpx.get(f"{service.url}/sign-in", timeout=60)
    assert (page.status_code, page.headers["retry-after"]) == (503, "5")
    assert "The database did not respond." in page.text
    ready = httpx.get(f"{service.url}/readyz", timeout=60)
    assert ready.status_code == 503
    assert LIMIT in ready.json()["database"]
    for process in (web, worker):
        assert LIMIT in messages_of(process, "psycopg.pool")
    waiting = "no job of the queue 'builds' was fetched"
    wait_until("it looks for jobs", lambda: waiting in messages_of(worker, "visual_review"))
    client = service.publish(connected["projectToken"], shown)
    # The client meets the limit first, and tries again.
    time.sleep(5)
    limit.set(-1)
    assert exit_code(client) == 1
    build = service.act("list_builds", repoId=connected["repo"]["id"])["builds"][0]
    assert build["status"] == "completed"
    # The same processes went on.
    assert worker.process.poll() is web.process.poll() is None


def messages_of(process: Process, logger: str) -> str:
    lines = map(json.loads, process.written.splitlines())
    return "\n".join(line["message"] for line in lines if line["logger"].startswith(logger))
