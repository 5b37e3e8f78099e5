"""A full disk: the service stays up, reads, refuses new data, and goes on when there is room."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import psutil
import pytest
from PIL import Image
from scripts.demo_folder import DemoError
from scripts.demo_server import PROGRAM, DemoServer, find_free_port, running_server

from tests.support.ci.job import CiJob, connect_repository, paint
from tests.support.servers.service import answers, open_folder, wait_until

DISK = "600m"
RESERVE_MB = 64
CHUNK = bytes(1 << 20)
REQUESTS = 20
# Of about a megabyte each: together more than the reserve and the room next to it.
LARGE_IMAGES = 150
NOISE_SIZE = (600, 600)


@dataclass(frozen=True)
class SmallDisk:
    """A file system of its own, which a test can fill."""

    folder: Path

    @property
    def filler(self) -> Path:
        return self.folder / "filler"

    def fill(self, leave: int = 0) -> None:
        """Use up all free bytes but ``leave`` of them, also bytes that are given back meanwhile."""
        with self.filler.open("ab", buffering=0) as file, suppress(OSError):
            while shutil.disk_usage(self.folder).free > leave:
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
    wait_until("the disk is full", lambda: "MB are missing" in readiness(server).json()["disk"])


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


@pytest.mark.deep
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


@pytest.mark.deep
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
    log = disk.folder / "server.log"
    written, began = log.stat().st_size, time.monotonic()
    with ThreadPoolExecutor(REQUESTS) as pool:
        pages = [*pool.map(partial(httpx.get, timeout=30), [f"{server.url}/sign-in"] * REQUESTS)]
    for page in pages:
        assert page.status_code == 503
        assert "MB must be freed" in page.text
    seconds = time.monotonic() - began
    lines = log.read_text()[written:].splitlines()
    # The access log has each request; the outage is logged once a second.
    assert not [line for line in lines if "django.request" in line]
    assert len([line for line in lines if "The database" in line]) <= seconds + 1
    disk.free()
    wait_until("it goes on", lambda: readiness(server).status_code == 200)
    assert len(job.builds()) == 1


@pytest.mark.deep
def test_a_disk_that_fills_up_meanwhile_loses_no_publish_and_no_backup(
    disk: SmallDisk, server: DemoServer, job: CiJob
) -> None:
    for number in range(LARGE_IMAGES):
        write_noise(job.cwd / "images" / f"noise--{number}--light-desktop.png")
    # The disk is not full before some of the images are stored.
    disk.fill(leave=RESERVE_MB << 20)
    refused = job.publish(job.cwd / "images")
    assert refused.returncode == 2
    assert "publish again" in refused.stderr
    disk.free()
    wait_until("it goes on", lambda: readiness(server).status_code == 200)
    assert job.publish(job.cwd / "images").returncode == 1
    build = server.act("get_build", buildId=job.builds()[0]["id"])["build"]
    assert len(build["screenshots"]) == LARGE_IMAGES + 1
    disk.fill(leave=RESERVE_MB << 20)
    backup = disk.folder / "backup.tar"
    command = [str(PROGRAM), "backup", str(backup), "--data", str(disk.folder / "data")]
    failed = subprocess.run(command, check=False, capture_output=True, text=True)
    assert failed.returncode == 2
    assert "No space left on device" in failed.stderr
    assert list(disk.folder.glob("backup*")) == []
    disk.free()
    wait_until("it goes on", lambda: readiness(server).status_code == 200)
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


def write_noise(path: Path) -> None:
    """Write a PNG of about a megabyte."""
    Image.frombytes("RGB", NOISE_SIZE, os.urandom(NOISE_SIZE[0] * NOISE_SIZE[1] * 3)).save(path)


def test_a_restart_on_a_full_disk_is_ready_for_readers(disk: SmallDisk) -> None:
    settings = {"VISUAL_REVIEW_DISK_RESERVE_MB": str(RESERVE_MB)}
    with running_server(disk.folder, preferred_port=0, settings=settings):
        assert (disk.folder / "data" / "disk-reserve").stat().st_size == RESERVE_MB << 20
    disk.fill()
    port = find_free_port(0)
    url = f"http://127.0.0.1:{port}"
    command = [PROGRAM, "up", "--data", disk.folder / "data", "--port", str(port)]
    log = disk.folder.parent / "log"
    with log.open("wb") as written:
        process = subprocess.Popen(command, env={**os.environ, **settings}, stdout=written)
    try:
        wait_until("it is ready", lambda: "Visual Review is ready" in log.read_text())
        response = httpx.get(f"{url}/readyz", timeout=30)
        assert response.status_code == 503
        states = response.json()
        assert " MB are missing" in states.pop("disk")
        assert {*states.values()} == {"not ready", "ok"}
        assert "disk of the service is full" in httpx.get(f"{url}/sign-in", timeout=30).text
        disk.free()
        wait_until("it goes on", lambda: answers(f"{url}/readyz"))
    finally:
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
