"""Backup and restore: all rows and files, from one kind of installation to the other."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from pytest_django.fixtures import Settings

from tests.support.backup_files import contents
from tests.support.case import Case
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.s3 import S3Server
from tests.support.servers.service import (
    CHECKOUT,
    environment,
    folder_owners,
    open_folder,
    owners,
    run,
    start,
)
from tests.support.servers.tcp_postgres import TcpPostgres

SECRET_KEY = "a secret key of the tests, long enough for any use"
# Every column with a sequence, and that sequence.
NUMBERED_COLUMNS = """
    SELECT table_name, column_name, pg_get_serial_sequence(quote_ident(table_name), column_name)
    FROM information_schema.columns
    WHERE table_schema = current_schema()
    AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL
"""


def without_queue(file: Path) -> dict[str, object]:
    found = contents(file)
    return {name: found[name] for name in found if not name.startswith("tables/procrastinate_")}


@dataclass(frozen=True)
class Installation:
    """The environment of an installation on PostgreSQL over TCP and S3, and a backup of it."""

    env: dict[str, str]
    backup: Path

    @property
    def database(self) -> str:
        return self.env["VISUAL_REVIEW_DATABASE_URL"]


@pytest.fixture(scope="module")
def original(postgres: TcpPostgres, s3: S3Server) -> Iterator[Installation]:
    """An installation with two builds and a recording."""
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=postgres.new_database("original", migrated=True),
        VISUAL_REVIEW_STORAGE_URL=s3.new_bucket("original"),
        VISUAL_REVIEW_SECRET_KEY=SECRET_KEY,
        **s3.credentials,
    )
    seed = [sys.executable, "-m", "tests.support.servers.seed"]
    subprocess.run(seed, env=env, cwd=CHECKOUT, check=True)
    with open_folder() as folder:
        yield back_up(env, folder / "backup.tar")


def back_up(env: dict[str, str], file: Path) -> Installation:
    result = run(["backup", str(file)], env)
    assert result.code == 0, result.err
    return Installation(env, file)


@pytest.fixture(scope="module")
def restored(
    original: Installation,
    postgres: TcpPostgres,
    s3: S3Server,
    tmp_path_factory: pytest.TempPathFactory,
) -> Installation:
    """The backup, restored into another database and bucket, and backed up again."""
    env = {
        **original.env,
        "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("restored"),
        "VISUAL_REVIEW_STORAGE_URL": s3.new_bucket("restored"),
    }
    result = run(["restore", str(original.backup)], env)
    assert result.code == 0, result.err
    return back_up(env, tmp_path_factory.mktemp("backup") / "again.tar")


def test_a_backup_contains_rows_and_files_and_is_private(original: Installation) -> None:
    found = contents(original.backup)
    assert len(found["tables/builds_build"]) == 2
    assert len(found["tables/builds_screenshot"]) == 4
    assert sum(name.startswith("blobs/") for name in found) >= 3
    # The seed has rendered a composite, which can be rendered again.
    assert not any(name.startswith("blobs/drawn/") for name in found)
    assert original.backup.stat().st_mode & 0o777 == 0o600


def test_a_backup_restored_to_a_data_folder_is_the_same_when_backed_up_again(
    original: Installation, tmp_path: Path
) -> None:
    with open_folder() as folder:
        result = run(["restore", str(original.backup), "--data", str(folder / "data")])
        assert result.code == 0, result.err
        assert owners(folder / "data") == folder_owners()
        service = start(folder / "data")
        try:
            assert "/setup/" not in service.process.written
            again = run(["backup", str(tmp_path / "again.tar"), "--data", str(folder / "data")])
        finally:
            assert service.process.end() == 0
        assert owners(folder / "data") == folder_owners()
    # Written by the service's account if root started it, but it is of the user who asked for it.
    assert owners(tmp_path) == {os.geteuid()}
    assert [path.name for path in tmp_path.iterdir()] == ["again.tar"]
    assert again.code == 0, again.err
    # The worker ran the waiting jobs meanwhile; they changed nothing else.
    assert without_queue(tmp_path / "again.tar") == without_queue(original.backup)


def test_a_backup_restored_to_another_database_and_bucket_is_the_same(
    original: Installation, restored: Installation
) -> None:
    assert contents(restored.backup) == contents(original.backup)


def test_a_backup_is_verified_without_restoring(original: Installation, tmp_path: Path) -> None:
    checked = run_in_process(["backup", str(original.backup), "--check"], original.env)
    assert checked.code == 0
    assert "is complete and undamaged: the database and all files" in checked.out
    broken = tmp_path / "broken.tar"
    broken.write_bytes(original.backup.read_bytes()[:-20_000])
    refused = run_in_process(["backup", str(broken), "--check"], original.env)
    assert refused.code == 2
    assert "damaged" in refused.err


def test_images_that_the_storage_lost_are_named(original: Installation, tmp_path: Path) -> None:
    with open_folder() as folder:
        data = ["--data", str(folder / "data")]
        assert run(["restore", str(original.backup), *data]).code == 0
        lost = next((folder / "data" / "blobs" / "images").rglob("*.png"))
        lost.unlink()
        file = tmp_path / "without.tar"
        result = run(["backup", str(file), *data])
        assert result.code == 1
        assert "Not in the storage: 1 image of the database" in result.err
        assert lost.name in result.err
        # Everything else is in the file, which says so.
        checked = run(["backup", str(file), "--check"])
        assert checked.code == 1
        assert "is undamaged: the database and the files that the storage had" in checked.out
        assert lost.name in checked.err
        # The nightly backup still makes room, and its exit code tells the operator.
        nights = tmp_path / "nights"
        nights.mkdir()
        old = nights / "visual-review-old.tar"
        old.touch()
        os.utime(old, (0, 0))
        night = back_up_at_night(folder / "data", nights)
        assert night.returncode == 1, night.stderr
        [new] = nights.iterdir()
        assert new != old


def back_up_at_night(data: Path, nights: Path) -> "subprocess.CompletedProcess[str]":
    script = ["sh", str(CHECKOUT / "deploy" / "backup.sh"), str(nights)]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = environment(PATH=path, VISUAL_REVIEW_DATA=str(data))
    return subprocess.run(script, env=env, check=False, capture_output=True, text=True)


def test_a_restore_overwrites_neither_rows_nor_files(
    original: Installation, restored: Installation, postgres: TcpPostgres, settings: Settings
) -> None:
    settings.STORAGE_URL = restored.env["VISUAL_REVIEW_STORAGE_URL"]
    refused = run_in_process(["restore", str(original.backup)], restored.env)
    assert refused.code == 2
    assert "The database is not empty" in refused.err
    empty = {**restored.env, "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("empty")}
    refused = run_in_process(["restore", str(original.backup)], empty)
    assert refused.code == 2
    assert "The storage is not empty" in refused.err


def test_sequences_continue_after_a_restore(restored: Installation) -> None:
    with psycopg.connect(restored.database) as database:
        numbered = database.execute(NUMBERED_COLUMNS).fetchall()
        for table, column, sequence in numbered:
            largest = sql.SQL("SELECT nextval(%s::regclass), max({}) FROM {}").format(
                sql.Identifier(column), sql.Identifier(table)
            )
            row = database.execute(largest, [sequence]).fetchone()
            assert row is not None
            assert row[0] > (row[1] or 0), table
    assert "audit_auditentry" in {table for table, _, _ in numbered}


def test_queries_are_planned_with_statistics_after_a_restore(restored: Installation) -> None:
    with psycopg.connect(restored.database) as database:
        known = "SELECT count(*) FROM pg_stats WHERE tablename = 'builds_image'"
        assert database.execute(known).fetchone() != (0,)


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed(data: bytes) -> bytes:
    middle = data.index(b"IHDR")
    return data[:middle] + b"XXXX" + data[middle + 4 :]


def replaced(_data: bytes) -> bytes:
    return b"this is not a backup"


def test_a_damaged_file_is_refused_and_leaves_no_folder(
    original: Installation, tmp_path: Path, case: Case
) -> None:
    broken = tmp_path / "broken.tar"
    for damage in (truncated, changed, replaced):
        with case(damage.__name__):
            broken.write_bytes(damage(original.backup.read_bytes()))
            refused = run_in_process(["restore", str(broken), "--data", str(tmp_path / "data")])
            assert refused.code == 2
            assert "damaged" in refused.err
            assert not (tmp_path / "data").exists()


def test_an_existing_file_or_folder_is_never_overwritten(
    original: Installation, tmp_path: Path
) -> None:
    again = run_in_process(["backup", str(original.backup)], original.env)
    assert again.code == 2
    assert "already exists" in again.err
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "holiday.jpg").touch()
    over = run_in_process(["restore", str(original.backup), "--data", str(tmp_path / "data")])
    assert over.code == 2
    assert "is not empty" in over.err
    assert [entry.name for entry in (tmp_path / "data").iterdir()] == ["holiday.jpg"]


def test_the_dumping_program_gets_no_password_on_its_command_line(
    original: Installation, tmp_path: Path
) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(
        f'#!/bin/sh\necho "$@" >> {tmp_path}/seen\necho "pg_dump (PostgreSQL) 18.4"\n'
    )
    program.chmod(0o700)
    env = {**original.env, "PATH": f"{tmp_path}{os.pathsep}{original.env['PATH']}"}
    assert run(["backup", str(tmp_path / "backup.tar")], env).code == 0
    seen = (tmp_path / "seen").read_text()
    assert "--dbname=" in seen
    assert "password" not in seen


def test_a_failing_dump_leaves_no_file(original: Installation, tmp_path: Path) -> None:
    program = tmp_path / "pg_dump"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "pg_dump (PostgreSQL) 18.4" && exit\necho no >&2\nexit 1\n'
    )
    program.chmod(0o700)
    env = {**original.env, "PATH": f"{tmp_path}{os.pathsep}{original.env['PATH']}"}
    failed = run_in_process(["backup", str(tmp_path / "backup.tar")], env)
    assert (failed.code, "The backup was not written: no" in failed.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["pg_dump"]
