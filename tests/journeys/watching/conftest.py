"""The whole service as an operator runs it, with a client in a process of its own."""

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from scripts.demo_server import running_server

from tests.support.ci.job import CiJob, connect_repository, paint
from tests.support.servers.collector import Collector, otlp_collector
from tests.support.servers.service import HTTP, free_port, open_folder
from tests.support.servers.template import copy_data_folder

SECONDS = 120


@dataclass(frozen=True)
class WatchedService:
    """``visual-review up`` with ports for metrics and a collector of traces, and a repository."""

    job: CiJob
    web: str
    worker: str
    log: Path
    collector: Collector

    def scrape(self, process: str) -> str:
        response = HTTP.get(f"{process}/metrics")
        assert response.status_code == 200
        return response.text

    def publish(self, shade: int, **variables: str) -> str:
        """Publish one image with the real program, and return what it printed."""
        images = self.job.cwd / "images"
        paint(images, "button", shade)
        done = subprocess.run(
            self.job.command(images, "--exit-zero-on-changes"),
            env=self.job.environment(variables),
            cwd=self.job.cwd,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr


@pytest.fixture(scope="package")
def service() -> Iterator[WatchedService]:
    with open_folder() as folder, otlp_collector() as collector:
        copy_data_folder(folder / "data")
        web, worker = free_port(), free_port()
        ports = {
            "VISUAL_REVIEW_METRICS_PORT": str(web),
            "VISUAL_REVIEW_WORKER_METRICS_PORT": str(worker),
            **collector.variables,
        }
        with running_server(folder, 0, ports) as server:
            (folder / "checkout").mkdir()
            job = connect_repository(server, folder / "checkout")
            yield WatchedService(
                job,
                f"http://127.0.0.1:{web}",
                f"http://127.0.0.1:{worker}",
                folder / "server.log",
                collector,
            )
