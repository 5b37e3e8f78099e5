"""A copy of PostgreSQL's programs, for an account that cannot reach the installed ones."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.case import Case
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.postgres_programs import NEEDED, programs_for


@dataclass(frozen=True)
class AccountWithoutAccess(Account):
    """An account that cannot reach the installed wheel, as below /root."""

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
    # The folder of the copies, as it was passed for the first one.
    copies = next(folder for folder in program.parents if folder.name == "programs")
    assert programs_for(ACCOUNT, copies) == copied_programs
    after = program.stat()
    assert (after.st_ino, after.st_ctime_ns) == (before.st_ino, before.st_ctime_ns)
