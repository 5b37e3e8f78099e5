"""PostgreSQL's programs must also run from the copy that another account can reach."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from visual_review.config.account import Account
from visual_review.config.programs import NEEDED, programs_for


@dataclass(frozen=True)
class ShutOut(Account):
    """An account that reaches nothing of the installed wheel, as from below /root."""

    def reaches(self, path: Path) -> bool:
        _ = path
        return False


@pytest.mark.parametrize("name", NEEDED)
def test_a_copied_program_finds_its_libraries(name: str, tmp_path: Path) -> None:
    folder = programs_for(ShutOut(0, 0, change=False), tmp_path / "programs")
    done = subprocess.run(
        [folder / name, "--version"], capture_output=True, text=True, check=False, env={}
    )
    assert (done.returncode, "PostgreSQL" in done.stdout) == (0, True), done.stderr


def test_the_copy_is_made_once(tmp_path: Path) -> None:
    account = ShutOut(0, 0, change=False)
    first = programs_for(account, tmp_path / "programs")
    (first / "postgres").unlink()
    assert programs_for(account, tmp_path / "programs") == first
    assert not (first / "postgres").exists()
