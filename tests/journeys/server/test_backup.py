"""Backup and restore: all rows and files, from one kind of installation to the other."""

import gzip
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.s3 import S3Server
from tests.servers.service import CHECKOUT, environment, open_folder, run, start
from tests.servers.tcp_postgres import TcpPostgres

SECRET_KEY = "a secret key of the tests, long enough for anybody"
# Workers come and go with the processes.
PASSING = {"tables/procrastinate_workers.copy.gz", "manifest.json", "complete.json"}


def contents(file: Path) -> dict[str, object]:
    """What a backup holds: rows of tables in any order, bytes of files."""
    held: dict[str, object] = {}
    with tarfile.open(file) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            assert stream is not None
            data = stream.read()
            table = member.name.startswith("tables/")
            held[member.name] = sorted(gzip.decompress(data).splitlines()) if table else data
    return {name: value for name, value in held.items() if name not in PASSING}


def without_queue(file: Path) -> dict[str, object]:
    held = contents(file)
    return {name: held[name] for name in held if not name.startswith("tables/procrastinate_")}


@dataclass(frozen=True)
class Original:
    """A backup of an installation with data in it, on PostgreSQL over TCP and S3."""

    env: dict[str, str]
    file: Path


@pytest.fixture(scope="module")
def original(postgres: TcpPostgres, s3: S3Server) -> Iterator[Original]:
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=postgres.new_database("original"),
        VISUAL_REVIEW_STORAGE_URL=s3.new_bucket("original"),
        VISUAL_REVIEW_SECRET_KEY=SECRET_KEY,
        **s3.credentials,
    )
    assert run(["migrate"], env).code == 0
    seed = [sys.executable, "-m", "tests.servers.seed"]
    subprocess.run(seed, env=env, cwd=CHECKOUT, check=True)
    with open_folder() as folder:
        written = run(["backup", str(folder / "backup.tar")], env)
        assert written.code == 0, written.err
        yield Original(env, folder / "backup.tar")


def test_a_backup_holds_rows_and_files_and_is_private(original: Original) -> None:
    held = contents(original.file)
    assert len(held["tables/builds_build.copy.gz"]) == 2
    assert len(held["tables/builds_screenshot.copy.gz"]) == 4
    assert sum(name.startswith("blobs/") for name in held) >= 3
    # The seed has drawn a composite, which can be drawn again.
    assert not any(name.startswith("blobs/drawn/") for name in held)
    assert original.file.stat().st_mode & 0o777 == 0o600


def test_a_data_folder_takes_it_over_and_gives_back_the_same_while_it_runs(
    original: Original, tmp_path: Path
) -> None:
    with open_folder() as folder:
        restored = run(["restore", str(original.file), "--data", str(folder / "data")])
        assert restored.code == 0, restored.err
        service = start(folder / "data")
        try:
            assert "/setup/" not in service.process.written
            again = run(["backup", str(tmp_path / "again.tar"), "--data", str(folder / "data")])
        finally:
            assert service.process.end() == 0
    assert again.code == 0, again.err
    # The worker took the waiting jobs up meanwhile, as it should; they changed nothing else.
    assert without_queue(tmp_path / "again.tar") == without_queue(original.file)


def test_another_database_and_bucket_take_it_over_once(
    original: Original, postgres: TcpPostgres, s3: S3Server, tmp_path: Path
) -> None:
    target = {
        **original.env,
        "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("copy"),
        "VISUAL_REVIEW_STORAGE_URL": s3.new_bucket("copy"),
    }
    restored = run(["restore", str(original.file)], target)
    assert restored.code == 0, restored.err
    assert run(["backup", str(tmp_path / "again.tar")], target).code == 0
    assert contents(tmp_path / "again.tar") == contents(original.file)
    over = run(["restore", str(original.file)], target)
    assert over.code == 2
    assert "The database is not empty" in over.err
    full = {**target, "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("empty")}
    over = run(["restore", str(original.file)], full)
    assert over.code == 2
    assert "The storage is not empty" in over.err


def test_new_rows_after_a_restore_get_numbers_of_their_own(
    original: Original, postgres: TcpPostgres, s3: S3Server
) -> None:
    target = {
        **original.env,
        "VISUAL_REVIEW_DATABASE_URL": postgres.new_database("grown"),
        "VISUAL_REVIEW_STORAGE_URL": s3.new_bucket("grown"),
    }
    assert run(["restore", str(original.file)], target).code == 0
    more = (
        "from visual_review.config.boot import load\n"
        "load('django.core.management.call_command')\n"
        "from visual_review.audit.log import SYSTEM, Change, Target, record\n"
        "record(None, SYSTEM, Change('test.written', Target('test', 'test')))\n"
    )
    subprocess.run([sys.executable, "-c", more], env=target, cwd=CHECKOUT, check=True)


def damaged(file: Path, to: Path, how: str) -> Path:
    data = file.read_bytes()
    if how == "cut":
        data = data[: len(data) // 2]
    elif how == "changed":
        middle = data.index(b"IHDR")
        data = data[:middle] + b"XXXX" + data[middle + 4 :]
    elif how == "text":
        data = b"this is no backup"
    to.write_bytes(data)
    return to


@pytest.mark.parametrize("how", ["cut", "changed", "text"])
def test_a_damaged_file_is_refused_and_leaves_no_folder(
    original: Original, tmp_path: Path, how: str
) -> None:
    broken = damaged(original.file, tmp_path / "broken.tar", how)
    refused = run(["restore", str(broken), "--data", str(tmp_path / "data")])
    assert refused.code == 2
    assert "damaged" in refused.err
    assert not (tmp_path / "data").exists()


def test_what_exists_is_never_overwritten(original: Original, tmp_path: Path) -> None:
    again = run(["backup", str(original.file)], original.env)
    assert again.code == 2
    assert "exists already" in again.err
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "holiday.jpg").touch()
    over = run(["restore", str(original.file), "--data", str(tmp_path / "data")])
    assert over.code == 2
    assert "is not empty" in over.err
    assert [entry.name for entry in (tmp_path / "data").iterdir()] == ["holiday.jpg"]
