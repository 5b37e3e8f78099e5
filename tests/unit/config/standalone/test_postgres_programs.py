"""A copy of PostgreSQL's programs, for an account without access to the installed ones."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.config.environment import StartupError
from visual_review.config.standalone.data_folder import open_data_folder, write_stamp
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.postgres_programs import NEEDED, find_client, programs_for


@dataclass(frozen=True)
class AccountWithoutAccess(Account):
    """An account without access to the installed wheel, as below /root."""

    def can_reach(self, path: Path) -> bool:
        _ = path
        return False


ACCOUNT = AccountWithoutAccess(0, 0, change=False)


@pytest.fixture(scope="module")
def copied_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return programs_for(ACCOUNT, tmp_path_factory.mktemp("copy") / "programs")


def test_a_copied_program_finds_its_libraries(case: Case, copied_programs: Path) -> None:
    for name in NEEDED:
        with case(name):
            done = subprocess.run(
                [copied_programs / name, "--version"],
                capture_output=True,
                text=True,
                check=False,
                env={},
            )
            assert (done.returncode, "PostgreSQL" in done.stdout) == (0, True), done.stderr


def test_the_copy_is_made_once(copied_programs: Path) -> None:
    program = copied_programs / "postgres"
    before = program.stat()
    # The folder of the copies, as passed for the first one.
    copies = next(folder for folder in program.parents if folder.name == "programs")
    assert programs_for(ACCOUNT, copies) == copied_programs
    after = program.stat()
    assert (after.st_ino, after.st_ctime_ns) == (before.st_ino, before.st_ctime_ns)


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of PostgreSQL 16, the first on the path."""
    program = tmp_path / "pg_dump"
    program.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 16.4 (Debian 16.4-1)'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def test_a_program_on_the_path_is_used_unless_it_is_older_than_the_server(on_path: Path) -> None:
    assert find_client("pg_dump", 160_003) == on_path
    assert find_client("pg_dump", 180_000).parent.parent.name == "pginstall18"


def test_a_restore_into_an_old_server_needs_its_own_program(on_path: Path, tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="postgresql-client-16"):
        find_client("pg_restore", 160_003)
    on_path.rename(tmp_path / "pg_restore")
    assert find_client("pg_restore", 160_003) == tmp_path / "pg_restore"


def test_a_server_newer_than_all_programs_names_the_package(on_path: Path) -> None:
    assert on_path.exists()
    with pytest.raises(StartupError, match=r"PostgreSQL 99, .* postgresql-client-99"):
        find_client("pg_dump", 990_000)


def test_opening_a_folder_does_not_claim_it_for_this_version(tmp_path: Path) -> None:
    stamp = tmp_path / "visual-review.json"
    stamp.write_text('{"layout": 2, "program": "0.0.9"}')
    with open_data_folder(tmp_path).lock:
        assert json.loads(stamp.read_text())["program"] == "0.0.9"
        write_stamp(tmp_path)
    assert json.loads(stamp.read_text())["program"] != "0.0.9"
