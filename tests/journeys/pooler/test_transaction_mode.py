"""The whole service behind PgBouncer in transaction mode, on few connections to PostgreSQL."""

import os
import pwd
import re
import shutil
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

from tests.support.crash.lanes import new_image
from tests.support.servers.service import CHECKOUT, free_port, open_folder, run, wait_until
from tests.support.servers.split_service import SplitService, exit_code, split_service
from tests.support.servers.tcp_postgres import tcp_postgres
from tests.support.servers.web import reading_events

pytestmark = [pytest.mark.deep, pytest.mark.timeout(0)]

MISSING = (
    "PgBouncer is not installed, and was not installed with apt-get install pgbouncer, "
    "which needs root and a way to the packages of Debian or Ubuntu."
)
INSTALLATION_SECONDS = 120
# PgBouncer refuses to run as root.
ACCOUNT = "nobody"


def find_pgbouncer() -> str | None:
    """Return the program, after an attempt to install it; None if the installation fails."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    found = shutil.which("pgbouncer", path=path)
    if found is None and os.geteuid() == 0 and shutil.which("apt-get"):
        subprocess.run(
            ["apt-get", "install", "--yes", "--no-install-recommends", "pgbouncer"],
            capture_output=True,
            timeout=INSTALLATION_SECONDS,
            check=False,
        )
        found = shutil.which("pgbouncer", path=path)
    return found


@dataclass(frozen=True)
class PgBouncer:
    """``url`` leads through the pooler, ``direct_url`` past the pooler."""

    url: str
    direct_url: str
    log: Path

    def show(self, what: str) -> list[dict[str, Any]]:
        """Return the rows of a SHOW command of PgBouncer's console."""
        parts = urlsplit(self.url)
        console = urlunsplit(parts._replace(path="/pgbouncer"))
        with psycopg.connect(
            console,
            autocommit=True,
            row_factory=psycopg.rows.dict_row,
            cursor_factory=psycopg.ClientCursor,
        ) as connection:
            return connection.execute(f"SHOW {what}").fetchall()


@contextmanager
def pgbouncer(program: str, direct_url: str, folder: Path, **changes: str) -> Iterator[PgBouncer]:
    """Run PgBouncer in front of ``direct_url``; ``changes`` replace settings of the example."""
    server, port = urlsplit(direct_url), free_port()
    name = server.path.lstrip("/")
    settings = ConfigParser()
    settings.read(CHECKOUT / "deploy" / "pgbouncer.ini")
    settings["databases"] = {name: f"host={server.hostname} port={server.port} dbname={name}"}
    users, log = folder / "userlist.txt", folder / "pgbouncer.log"
    users.write_text(f'"{server.username}" "{server.password}"\n')
    settings["pgbouncer"].update(
        {
            "listen_port": str(port),
            "auth_file": str(users),
            "admin_users": str(server.username),
            "unix_socket_dir": "",
            **changes,
        }
    )
    path = folder / "pgbouncer.ini"
    with path.open("w") as file:
        settings.write(file)
    for readable in (path, users):
        readable.chmod(0o644)
    account = {} if os.geteuid() else {"user": pwd.getpwnam(ACCOUNT).pw_uid}
    with (
        log.open("wb") as output,
        subprocess.Popen([program, str(path)], stdout=output, stderr=output, **account) as process,  # type: ignore[call-overload]
    ):
        netloc = f"{server.username}:{server.password}@127.0.0.1:{port}"
        running = PgBouncer(urlunsplit(server._replace(netloc=netloc, query="")), direct_url, log)
        try:
            wait_until("PgBouncer accepts connections", lambda: _accepts(running.url))
            yield running
        finally:
            process.kill()


def _accepts(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


STORIES = [f"story-{number}" for number in range(20)]
LANES = 3
# Fewer than the processes have threads at work, so that transactions share connections.
SERVER_CONNECTIONS = 4
# PgBouncer gives each connection the settings of its client.
OF_POOLER = r"statement: *SET (TimeZone|application_name|client_encoding)="
# The names of connections in the log.
DIRECT, POOLED = "direct", "[unknown]"
FORBIDDEN = {
    "a lock of the session": r"pg_(try_)?advisory_(lock|unlock)",
    "a prepared statement": r"execute (?!<unnamed>)|statement: *(PREPARE|DEALLOCATE)",
    "a cursor": r"statement: *DECLARE",
    "a temporary table": r"CREATE +(LOCAL +)?TEMP",
    "a setting of the session": r"statement: *SET (?!CONSTRAINTS|LOCAL)",
    "a setting by a function": r"set_config",
    "notifications": r"LISTEN",
}


@dataclass(frozen=True)
class PooledService:
    """The service, the pooler, and the log folder of the server behind the pooler."""

    service: SplitService
    pooler: PgBouncer
    logs: Path

    def statements(self, name: str = POOLED) -> list[str]:
        """Return the statements of connections with the given application name."""
        # A statement may take several lines; each begins with a tab then.
        text = "\n".join(log.read_text() for log in self.logs.glob("*.log")).replace("\n\t", " ")
        lines = [line for line in text.splitlines() if line.startswith(f"{name}|")]
        return [line for line in lines if not re.search(OF_POOLER, line)]

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.pooler.direct_url) as server:
            cursor = server.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []


@pytest.fixture(scope="module")
def pooled() -> Iterator[PooledService]:
    program = find_pgbouncer()
    if program is None:
        pytest.skip(MISSING)
    with ExitStack() as stack:
        data, files, folder = (stack.enter_context(open_folder()) for _ in range(3))
        settings = {"log_statement": "all", "log_line_prefix": "%a|", "timezone": "Asia/Tokyo"}
        server = stack.enter_context(tcp_postgres(data, **settings))
        direct = f"{server.new_database('pooled')}?application_name={DIRECT}"
        size = str(SERVER_CONNECTIONS)
        pooler = stack.enter_context(pgbouncer(program, direct, files, default_pool_size=size))
        service = stack.enter_context(split_service(folder, pooler.url, webs=2))
        service.migrate()
        # One of the workers listens for new jobs, the other one asks.
        service.start_all({"VISUAL_REVIEW_DATABASE_DIRECT_URL": direct}, {})
        yield PooledService(service, pooler, data / "postgres" / "cluster" / "log")


def write_images(folder: Path, changed: int = 0) -> Path:
    """Write an image of each story; the first ``changed`` are others than the last time."""
    folder.mkdir(exist_ok=True)
    for number, story in enumerate(STORIES):
        path = folder / f"{story}--light-desktop.png"
        if number < changed or not path.exists():
            path.write_bytes(new_image())
    return folder


def test_publishing_deciding_and_live_updates(pooled: PooledService, tmp_path: Path) -> None:
    service = pooled.service
    connected = [service.act("connect_repo", fullName=f"acme/lane-{n}") for n in range(LANES)]
    tokens = [each["projectToken"] for each in connected]
    folders = [write_images(tmp_path / f"lane-{n}") for n in range(LANES)]
    # All at once, so that transactions of several processes share connections.
    first = [service.publish(*each) for each in zip(tokens, folders, strict=True)]
    assert [exit_code(client) for client in first] == [1] * LANES
    builds = [newest_build(service, each["repo"]["id"]) for each in connected]
    assert [build["counts"]["new"] for build in builds] == [len(STORIES)] * LANES
    with (
        service.browser(number=1) as browser,
        reading_events(browser, f"/builds/{builds[0]['id']}/events") as events,
    ):
        shown = events.cursor()
        for build in builds:
            assert service.act("approve_build", buildId=build["id"])["reviewState"] == "approved"
        # A page of the other web process learns of the decision.
        assert events.cursor() != shown
    for folder in folders:
        write_images(folder, changed=3)
    second = [service.publish(*each) for each in zip(tokens, folders, strict=True)]
    assert [exit_code(client) for client in second] == [1] * LANES
    for each in connected:
        counts = newest_build(service, each["repo"]["id"])["counts"]
        assert (counts["changed"], counts["unchanged"]) == (3, len(STORIES) - 3)
    # The second build of a repository is now superseded, and nothing else has its images.
    assert exit_code(service.publish(tokens[0], write_images(folders[0], changed=3))) == 1


def newest_build(service: SplitService, repository: str) -> dict[str, Any]:
    found = service.act("list_builds", repoId=repository, limit=1)["builds"][0]
    build: dict[str, Any] = service.act("get_build", buildId=found["id"])["build"]
    return build


def test_a_removed_repository_and_retention_delete_its_images(pooled: PooledService) -> None:
    service = pooled.service
    [repository] = [
        each["id"]
        for each in service.act("list_repos")["repos"]
        if each["fullName"] == f"acme/lane-{LANES - 1}"
    ]
    service.act("remove_repo", repoId=repository)
    left = "SELECT id FROM repositories_repository"
    wait_until("it is deleted", lambda: (repository,) not in pooled.query(left))
    pooled.query(
        "INSERT INTO repositories_retention (organization_id, builds_days, images_days)"
        " SELECT id, 30, 7 FROM accounts_organization"
    )
    for table in ("builds_build", "builds_image", "builds_comparison"):
        pooled.query(f"UPDATE {table} SET created_at = created_at - interval '60 days'")  # noqa: S608 - Ours.
    before = stored_images(service)
    swept = run(["retention"], service.env)
    assert re.search(r"Deleted [1-9]\d* builds, 0 recordings, [1-9]\d* images", swept.out), (
        swept.err
    )
    assert 0 < stored_images(service) < before


def stored_images(service: SplitService) -> int:
    return len(list((service.folder / "blobs" / "images").rglob("*.png")))


def test_every_process_used_transactions_only(pooled: PooledService) -> None:
    asked = pooled.statements()
    assert len(asked) > 1000
    for what, pattern in FORBIDDEN.items():
        assert not [line for line in asked if re.search(pattern, line)][:3], what
    # Not all of them, since the pattern itself would be found.
    assert any(re.search("LISTEN", line) for line in pooled.statements(DIRECT))
    assert any("pg_advisory_xact_lock" in line for line in asked)
    [pool] = [row for row in pooled.pooler.show("POOLS") if row["database"] == "pooled"]
    assert pool["pool_mode"] == "transaction"
    serving = pool["sv_active"] + pool["sv_idle"] + pool["sv_used"]
    assert 0 < serving <= SERVER_CONNECTIONS
    assert "new jobs are found by polling, since a connection pooler" in pooled.service.logs()
