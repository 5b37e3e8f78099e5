"""Why ``visual-review up`` may not start: each error has a next step, and leaves no trace."""

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


def test_an_invalid_version_file_is_reported(folder: Path) -> None:
    (folder / "visual-review.json").write_text("not json")
    refused = run_in_process(["up", "--data", str(folder), "--port", "0"])
    assert refused.code == 2
    assert f"{folder}/visual-review.json is not valid" in refused.err


def test_a_folder_with_other_files_is_refused(folder: Path) -> None:
    (folder / "holiday.jpg").write_bytes(b"")
    refused = run_in_process(["up", "--data", str(folder), "--port", "0"])
    assert refused.code == 2
    assert "has other files (holiday.jpg)" in refused.err
    assert [entry.name for entry in folder.iterdir()] == ["holiday.jpg"]


def test_a_file_instead_of_a_folder_is_refused(folder: Path) -> None:
    (folder / "data").write_text("a file")
    refused = run_in_process(["up", "--data", str(folder / "data"), "--port", "0"])
    assert refused.code == 2
    assert f"The data folder {folder}/data cannot be used" in refused.err


def test_an_address_of_another_machine_is_refused(folder: Path) -> None:
    refused = run_in_process(
        ["up", "--data", str(folder / "data"), "--host", "192.0.2.1", "--port", "0"]
    )
    assert refused.code == 2
    assert "Cannot listen on port 0 of 192.0.2.1" in refused.err


def test_an_owner_without_a_password_is_refused_and_the_database_stops(folder: Path) -> None:
    data = copy_data_folder(folder / "data")
    variables = environment(VISUAL_REVIEW_OWNER_EMAIL="olivia@example.com")
    # In a separate process, since the migration started there writes the message.
    refused = run(["up", "--data", str(data), "--port", "0"], variables)
    assert refused.code == 2
    assert "needs both an e-mail address and a password" in refused.err
    assert not (data / "postgres" / "cluster" / "postmaster.pid").exists()


@as_root
def test_a_full_disk_is_reported_before_anything_is_written(folder: Path) -> None:
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
