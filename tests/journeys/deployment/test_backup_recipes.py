"""The nightly backup and the rehearsal of a restore, as the recipes run both."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.service import (
    CHECKOUT,
    OWNER,
    Service,
    environment,
    free_port,
    open_folder,
    start,
)
from tests.support.servers.template import copy_data_folder

DEPLOY: Final = CHECKOUT / "deploy"
DAY_SECONDS: Final = 86_400


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with open_folder() as folder:
        owner = environment(
            VISUAL_REVIEW_OWNER_EMAIL=OWNER[0],
            VISUAL_REVIEW_OWNER_PASSWORD=OWNER[1],
            VISUAL_REVIEW_OWNER_ORGANIZATION="Acme",
        )
        started = start(copy_data_folder(folder / "data"), owner)
        yield started
        started.process.end()


def run_script(command: list[str], data: Path) -> "subprocess.CompletedProcess[str]":
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = environment(PATH=path, VISUAL_REVIEW_DATA=str(data))
    return subprocess.run(
        command, env=env, capture_output=True, text=True, timeout=240, check=False
    )


def make_backup(path: Path, days_ago: int) -> Path:
    path.write_bytes(b"an earlier backup")
    at = time.time() - days_ago * DAY_SECONDS
    os.utime(path, (at, at))
    return path


def unit_command() -> list[str]:
    lines = (DEPLOY / "visual-review-backup.service").read_text().splitlines()
    [line] = [each.removeprefix("ExecStart=") for each in lines if each.startswith("ExecStart=")]
    return line.split()


def test_the_nightly_backup_keeps_two_weeks(service: Service, tmp_path: Path) -> None:
    old = make_backup(tmp_path / "visual-review-old.tar", days_ago=16)
    recent = make_backup(tmp_path / "visual-review-recent.tar", days_ago=13)
    other = make_backup(tmp_path / "other.tar", days_ago=99)
    command = unit_command()
    script = next(number for number, each in enumerate(command) if each.endswith("/backup.sh"))
    done = run_script(
        ["sh", str(DEPLOY / "backup.sh"), str(tmp_path), *command[script + 2 :]], service.data
    )
    assert done.returncode == 0, done.stderr
    assert "is complete and undamaged" in done.stdout
    assert not old.exists()
    [new] = set(tmp_path.iterdir()) - {recent, other}
    assert new.stat().st_size > 0


def test_a_failed_backup_deletes_no_earlier_one(tmp_path: Path) -> None:
    old = make_backup(tmp_path / "visual-review-old.tar", days_ago=16)
    backup = ["sh", str(DEPLOY / "backup.sh"), str(tmp_path)]
    assert run_script(backup, tmp_path / "no-data").returncode != 0
    assert list(tmp_path.iterdir()) == [old]


def test_a_program_that_cannot_run_deletes_no_backup(tmp_path: Path) -> None:
    old = make_backup(tmp_path / "visual-review-old.tar", days_ago=16)
    # Python ends with 1 as well, for example after half an upgrade.
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "visual-review"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}
    command = ["sh", str(DEPLOY / "backup.sh"), str(tmp_path)]
    assert subprocess.run(command, env=env, check=False).returncode == 2
    assert old.exists()


@pytest.mark.deep
def test_a_restore_is_rehearsed(service: Service, tmp_path: Path) -> None:
    done = run_script(["sh", str(DEPLOY / "backup.sh"), str(tmp_path)], service.data)
    [backup] = tmp_path.iterdir()
    before = set(Path("/tmp").iterdir())  # noqa: S108 - Where mktemp makes folders.
    rehearse = ["sh", str(DEPLOY / "rehearse-restore.sh")]
    done = run_script([*rehearse, str(backup), str(free_port())], service.data)
    assert done.returncode == 0, done.stderr
    assert '"ready"' in done.stdout
    assert "Acme" in done.stdout
    left = {each.name for each in set(Path("/tmp").iterdir()) - before}  # noqa: S108 - As above.
    assert not [name for name in left if name.startswith("tmp.")]
    damaged = backup.with_name("damaged.tar")
    damaged.write_bytes(backup.read_bytes()[:-5000])
    assert run_script([*rehearse, str(damaged), str(free_port())], service.data).returncode != 0
