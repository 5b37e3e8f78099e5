"""Run the service on a fresh data folder, filled with rows for benchmarks."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import psutil
from scripts.demo_folder import demo_folder
from scripts.demo_server import running_server

from benchmarks.children import find_child
from visual_review.config.boot import load
from visual_review.config.environment import DATABASE_URL, SECRET_KEY, STORAGE_URL
from visual_review.config.standalone.data_folder import database_password, secret_key, storage_url
from visual_review.config.standalone.postgres import EmbeddedPostgres

if TYPE_CHECKING:
    from benchmarks.seeding import SeededData


@dataclass(frozen=True)
class WebProcess:
    """A running web process and its address."""

    address: tuple[str, int]
    process: psutil.Process

    @property
    def host(self) -> str:
        return f"{self.address[0]}:{self.address[1]}"

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)


@dataclass(frozen=True)
class Service:
    """A running service and its web process; ``key`` is a valid API key."""

    url: str
    key: str
    web: WebProcess
    seeded: "SeededData"
    folder: Path


@contextmanager
def filled_service(builds: int, screenshots: int) -> Iterator[Service]:
    """Run the service with ``builds`` builds, the newest with ``screenshots`` each."""
    with demo_folder("bench-calls") as folder:
        try:
            with running_server(folder, 0) as server:
                seeded = _fill(folder / "data", builds, screenshots)
                parts = urlsplit(server.url)
                address = (parts.hostname or "", parts.port or 0)
                web = WebProcess(address, find_child(server.process.pid, "web"))
                yield Service(server.url, server.key, web, seeded, folder)
        finally:
            # A gigabyte that the next run does not need; the server's log stays.
            rmtree(folder / "data", ignore_errors=True)


def connect_to(data: Path) -> None:
    """Let this process use the database and the storage of the running service."""
    running = EmbeddedPostgres.attach(data / "postgres", database_password(data))
    os.environ[DATABASE_URL] = running.url
    os.environ[STORAGE_URL] = storage_url(data)
    os.environ[SECRET_KEY] = secret_key(data)


def _fill(data: Path, builds: int, screenshots: int) -> "SeededData":
    connect_to(data)
    # By name, because models can be imported only when the database is configured.
    seeded: SeededData = load("benchmarks.seeding.fill")(builds, screenshots)
    return seeded
