"""A full disk: the service stays up, reads, refuses new data, and goes on when there is room."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest
from scripts.demo_folder import DemoError
from scripts.demo_server import PROGRAM, DemoServer, running_server

from tests.support.ci.job import CiJob, connect_repository, paint
from tests.support.servers.service import open_folder, wait_until

DISK = "600m"
RESERVE_MB = 64
CHUNK = bytes(1 << 20)


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own, which a test can fill."""

    folder: Path

    @property
    def filler(self) -> Path:
        return self.folder / "filler"

    def fill(self) -> None:
        """Use up all that is free, also what is given back meanwhile."""
        with self.filler.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(CHUNK)

    def free(self) -> None:
        self.filler.unlink()


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    with open_folder() as folder:
        mounted = folder / "disk"
        mounted.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=711", "tmpfs", str(mounted)]
        if subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("file systems cannot be mounted here")
        try:
            yield SmallDisk(mounted)
        finally:
            subprocess.run(["umount", "--lazy", str(mounted)], check=True)


@pytest.fixture
def server(disk: SmallDisk) -> Iterator[DemoServer]:
    settings = {"VISUAL_REVIEW_DISK_RESERVE_MB": str(RESERVE_MB)}
    with running_server(disk.folder, preferred_port=0, settings=settings) as running:
        yield running


@pytest.fixture
def job(server: DemoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CiJob:
    monkeypatch.chdir(tmp_path)
    made = connect_repository(server, tmp_path)
    paint(tmp_path / "images", "button--primary--light-desktop", 10)
    assert made.publish(tmp_path / "images").returncode == 1
    return made


def readiness(server: DemoServer) -> httpx.Response:
    return httpx.get(f"{server.url}/readyz", timeout=30)


def wait_until_full(server: DemoServer) -> None:
    wait_until("the disk is full", lambda: readiness(server).json().get("disk", "ok") != "ok")


def test_it_reads_refuses_new_data_and_goes_on(
    disk: SmallDisk, server: DemoServer, job: CiJob
) -> None:
    disk.fill()
    wait_until_full(server)
    response = readiness(server)
    assert response.status_code == 503
    assert "the disk is full, " in response.json()["disk"]
    assert " MB are missing" in response.json()["disk"]
    # Reading works: the reserve was given back to PostgreSQL.
    [build] = job.builds()
    assert httpx.get(f"{server.url}/sign-in", timeout=30).text.count("disk of the service is full")
    with pytest.raises(DemoError, match="507"):
        server.act("approve_build", buildId=build["id"])
    paint(job.cwd / "images", "button--primary--light-desktop", 200)
    refused = job.publish(job.cwd / "images")
    assert refused.returncode == 2
    assert "MB must be freed" in refused.stderr
    disk.free()
    wait_until("it goes on", lambda: readiness(server).status_code == 200)
    server.act("approve_build", buildId=build["id"])
    assert job.publish(job.cwd / "images").returncode == 1
    assert len(job.builds()) == 2


def test_a_verdict_and_a_backup_come_when_there_is_room(
    disk: SmallDisk, server: DemoServer, job: CiJob
) -> None:
    job.approve_newest()
    paint(job.cwd / "images", "button--primary--light-desktop", 200)
    worker = next(
        each
        for each in psutil.Process(server.process.pid).children(recursive=True)
        if "worker" in each.cmdline()
    )
    # The build waits for its verdict when the disk fills up.
    worker.suspend()
    assert job.publish(job.cwd / "images", "--no-wait").returncode == 0
    disk.fill()
    wait_until_full(server)
    disk.fill()
    worker.resume()
    backup = disk.folder / "backup.tar"
    command = [str(PROGRAM), "backup", str(backup), "--data", str(disk.folder / "data")]
    assert subprocess.run(command, check=False, capture_output=True).returncode != 0
    assert not backup.exists()
    disk.free()
    wait_until("the verdict", lambda: job.builds()[0]["status"] == "completed")
    assert job.builds()[0]["diffCount"] == 1
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0
    assert backup.stat().st_size > 0


def test_postgresql_that_cannot_start_again_is_waited_for(
    disk: SmallDisk, server: DemoServer, job: CiJob
) -> None:
    disk.fill()
    wait_until_full(server)
    # The reserve is used up, too.
    disk.fill()
    [postmaster] = (
        each
        for each in psutil.Process(server.process.pid).children(recursive=True)
        if each.name() == "postgres" and each.parent().name() != "postgres"
    )
    for process in (*postmaster.children(), postmaster):
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    wait_until("it says so", lambda: readiness(server).json()["database"] != "ok")
    assert server.process.poll() is None
    disk.free()
    wait_until("it goes on", lambda: readiness(server).status_code == 200)
    assert len(job.builds()) == 1


def test_a_restart_gives_the_reserve_back(disk: SmallDisk) -> None:
    settings = {"VISUAL_REVIEW_DISK_RESERVE_MB": str(RESERVE_MB)}
    with running_server(disk.folder, preferred_port=0, settings=settings):
        assert (disk.folder / "data" / "disk-reserve").stat().st_size == RESERVE_MB << 20
    disk.fill()
    # It becomes ready only once there is room, and says so until then.
    with subprocess.Popen(
        ["sh", "-c", f"sleep 8; rm {disk.filler}"], start_new_session=True
    ) as cleaner:
        with running_server(disk.folder, preferred_port=0, settings=settings) as server:
            assert readiness(server).status_code == 200
        cleaner.wait(30)
