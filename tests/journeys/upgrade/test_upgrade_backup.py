"""An upgrade backs the database up first, is all or nothing, and explains how to undo it."""

import os
import resource
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import pytest
from django.db import connection
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker

from tests.support.backup_files import contents, manifest
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.old_database import UNDONE, connected_to, new_database
from tests.support.servers.service import CommandResult, Process, run, wait_until
from tests.support.servers.worker import database_environment
from visual_review.config.commands.backup import write_database_backup

LOCK = "LOCK TABLE account_emailaddress IN ROW EXCLUSIVE MODE"
ADD_INDEX = "CREATE INDEX unique_primary_email ON account_emailaddress (user_id)"
WAITING = """
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
    AND query LIKE 'CREATE UNIQUE INDEX%' AND wait_event_type = 'Lock'
"""


@pytest.fixture
def database(older: str, django_db_blocker: DjangoDbBlocker) -> Iterator[dict[str, str]]:
    """The environment of a copy of the older version's database."""
    with (
        django_db_blocker.unblock(),
        new_database("upgrading", older) as name,
        connected_to(name),
    ):
        yield database_environment()


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "data" / "backups"


def migrate(env: Mapping[str, str], backups: Path) -> CommandResult:
    return run_in_process(["migrate", "--backups", str(backups)], env)


def list_migrations() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations")
        return {(app, name) for app, name in cursor.fetchall()}


def dump(env: Mapping[str, str], file: Path, patch: pytest.MonkeyPatch) -> dict[str, object]:
    patch.setenv("VISUAL_REVIEW_DATABASE_URL", env["VISUAL_REVIEW_DATABASE_URL"])
    write_database_backup(file)
    return contents(file)


def test_the_backup_is_the_database_as_it_was_before(
    database: dict[str, str], backups: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, state = list_migrations(), dump(database, tmp_path / "before.tar", monkeypatch)
    done = migrate(database, backups)
    assert (done.code, done.out) == (0, "")
    (backup,) = backups.iterdir()
    assert contents(backup) == state
    assert {(app, name) for app, name in manifest(backup)["migrations"]} == before
    assert (backups.stat().st_mode & 0o777, backup.stat().st_mode & 0o777) == (0o700, 0o600)
    assert f"as it was before this upgrade is in {backup}" in done.err
    assert "visual-review restore" in done.err
    assert UNDONE in list_migrations()


def test_nothing_is_backed_up_if_nothing_changes(database: dict[str, str], backups: Path) -> None:
    migrate(database, backups)
    again = migrate(database, backups)
    assert (again.code, again.err) == (0, "")
    assert len(list(backups.iterdir())) == 1


def test_the_backup_restores_next_to_the_images_that_are_there(
    database: dict[str, str],
    backups: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Settings,
) -> None:
    migrate(database, backups)
    upgraded = dump(database, tmp_path / "upgraded.tar", monkeypatch)
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "image").write_bytes(b"an image of the older version")
    settings.STORAGE_URL = (tmp_path / "blobs").as_uri()
    with new_database("restored") as name, connected_to(name):
        env = database_environment(VISUAL_REVIEW_STORAGE_URL=settings.STORAGE_URL)
        (backup,) = backups.iterdir()
        restored = run_in_process(["restore", str(backup)], env)
        assert restored.code == 0, restored.err
        assert "without images" in restored.out
        found = dump(env, tmp_path / "restored.tar", monkeypatch)
        # The table has the time of each migration.
        del found["tables/django_migrations"], upgraded["tables/django_migrations"]
        assert found == upgraded


def test_an_upgrade_killed_in_the_middle_leaves_the_older_version(
    database: dict[str, str], backups: Path, tmp_path: Path
) -> None:
    before = list_migrations()
    url = database["VISUAL_REVIEW_DATABASE_URL"]
    with psycopg.connect(url) as writer, psycopg.connect(url, autocommit=True) as observer:
        # The table cannot be altered until the transaction of the writer ends.
        writer.execute(LOCK)
        killed = Process(["migrate", "--backups", str(backups)], tmp_path / "log", database)
        wait_until("it waits", lambda: observer.execute(WAITING).fetchone(), killed)
        killed.process.kill()
        killed.process.wait()
        writer.rollback()
        wait_until("it ended", lambda: not observer.execute(WAITING).fetchone())
    assert list_migrations() == before
    assert len(list(backups.iterdir())) == 1
    assert migrate(database, backups).code == 0
    # The first has the state before the upgrade.
    assert len(list(backups.iterdir())) == 2


def test_a_failed_upgrade_changes_nothing_and_says_so(
    database: dict[str, str], backups: Path
) -> None:
    before = list_migrations()
    with connection.cursor() as cursor:
        cursor.execute(ADD_INDEX)
    failed = migrate(database, backups)
    assert failed.code == 2
    assert "failed and changed nothing" in failed.err
    assert list_migrations() == before


def test_a_newer_database_is_refused_without_a_backup(
    database: dict[str, str], backups: Path
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('builds', '9999_x', now())"
        )
    before = list_migrations()
    refused = migrate(database, backups)
    assert refused.code == 2
    assert "used by a newer version" in refused.err
    assert not backups.exists()
    assert list_migrations() == before


def test_a_full_disk_is_reported_before_the_upgrade(
    database: dict[str, str], backups: Path
) -> None:
    before = list_migrations()
    backups.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(backups)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let tests mount a small disk")
    try:
        refused = migrate(database, backups)
        assert list(backups.iterdir()) == []
    finally:
        subprocess.run(["umount", str(backups)], check=True)
    assert refused.code == 2
    assert "where 6" in refused.err
    assert "VISUAL_REVIEW_BACKUPS" in refused.err
    assert list_migrations() == before


def test_a_backup_that_cannot_be_written_to_its_end_stops_the_upgrade(
    database: dict[str, str], backups: Path
) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    before = list_migrations()
    failed = run(["migrate", "--backups", str(backups)], database, preexec_fn=limit)
    assert failed.code == 2
    assert "The backup was not written" in failed.err
    assert list(backups.iterdir()) == []
    assert list_migrations() == before


def test_without_a_folder_the_operator_is_told(database: dict[str, str]) -> None:
    done = run_in_process(["migrate"], database)
    assert done.code == 0
    assert "without a backup" in done.err
    assert UNDONE in list_migrations()
