"""What keeps ``visual-review up`` from starting: each case says what to do, and leaves nothing."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import environment, open_folder, run
from tests.support.servers.template import copy_data_folder

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can arrange this")


@pytest.fixture
def folder() -> Iterator[Path]:
    with open_folder() as empty:
        yield empty


def test_a_data_folder_of_a_newer_version_is_left_alone(folder: Path) -> None:
    stamp = folder / "visual-review.json"
    stamp.write_text(json.dumps({"layout": 99, "program": "9.0"}))
    refused = run_in_process(["up", "--data", str(folder), "--port", "0"])
    assert refused.code == 2
    assert "last used by Visual Review 9.0, which is newer" in refused.err
    assert json.loads(stamp.read_text())["layout"] == 99
    assert not (folder / "postgres").exists()


def test_an_unreadable_version_stamp_is_named(folder: Path) -> None:
    (folder / "visual-review.json").write_text("not json")
    refused = run_in_process(["up", "--data", str(folder), "--port", "0"])
    assert refused.code == 2
    assert f"{folder}/visual-review.json cannot be read" in refused.err


def test_a_folder_with_other_things_in_it_is_refused(folder: Path) -> None:
    (folder / "holiday.jpg").write_bytes(b"")
    refused = run_in_process(["up", "--data", str(folder), "--port", "0"])
    assert refused.code == 2
    assert "holds other things (holiday.jpg)" in refused.err
    assert [entry.name for entry in folder.iterdir()] == ["holiday.jpg"]


def test_a_file_in_place_of_the_folder_is_refused(folder: Path) -> None:
    (folder / "data").write_text("a file")
    refused = run_in_process(["up", "--data", str(folder / "data"), "--port", "0"])
    assert refused.code == 2
    assert f"The data folder {folder}/data cannot be used" in refused.err


def test_an_address_of_another_machine_is_refused(folder: Path) -> None:
    refused = run_in_process(
        ["up", "--data", str(folder / "data"), "--host", "192.0.2.1", "--port", "0"]
    )
    assert refused.code == 2
    assert "The address 192.0.2.1 port 0 cannot be used" in refused.err


def test_half_an_owner_is_refused_and_no_database_keeps_running(folder: Path) -> None:
    data = copy_data_folder(folder / "data")
    given = environment(VISUAL_REVIEW_OWNER_EMAIL="olivia@example.com")
    # In a process of its own, since the migration it starts writes the message.
    refused = run(["up", "--data", str(data), "--port", "0"], given)
    assert refused.code == 2
    assert "needs both an address and a password" in refused.err
    assert not (data / "postgres" / "cluster" / "postmaster.pid").exists()


@as_root
def test_root_is_told_when_the_database_account_cannot_reach_the_folder(folder: Path) -> None:
    (folder / "private").mkdir(mode=0o700)
    refused = run_in_process(["up", "--data", str(folder / "private" / "data"), "--port", "0"])
    assert refused.code == 2
    assert f"cannot enter {folder}/private" in refused.err
    assert "--data /var/lib/visual-review" in refused.err
    assert (folder / "private").stat().st_mode & 0o777 == 0o700


@as_root
def test_a_full_disk_is_told_before_anything_is_written(folder: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64m,mode=711", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let tests mount a small disk")
    try:
        refused = run_in_process(["up", "--data", str(folder / "data"), "--port", "0"])
        assert refused.code == 2
        assert "is full: 6" in refused.err
        assert not (folder / "data" / "postgres").exists()
    finally:
        _unmount(folder)


def _unmount(folder: Path) -> None:
    for _ in range(50):
        if not subprocess.run(["umount", str(folder)], capture_output=True, check=False).returncode:
            return
        time.sleep(0.1)
