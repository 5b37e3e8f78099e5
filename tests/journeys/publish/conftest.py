from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer, running_server

from tests.journeys.publish.ci_job import CiJob, paint
from tests.servers.service import open_folder

NUMBERS = count(1)


@pytest.fixture(scope="package")
def server() -> Iterator[DemoServer]:
    """One server as ``visual-review up`` runs it, for all of these journeys."""
    # Test processes that start at once would all find the liked port free.
    with open_folder() as folder, running_server(folder, liked_port=0) as running:
        yield running


@pytest.fixture
def job(server: DemoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CiJob:
    """A repository of its own, and a folder of its own to run in."""
    monkeypatch.chdir(tmp_path)
    connected = server.act("connect_repo", fullName=f"harbour/design-{next(NUMBERS)}")
    return CiJob(server, connected["repo"]["id"], connected["projectToken"], tmp_path)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    """Three images of two stories, which the server does not have from another test."""
    folder = tmp_path / "images"
    size = (40, 30 + next(NUMBERS))
    paint(folder, "button--primary--light-desktop", 10, size)
    paint(folder, "button--primary--dark-desktop", 20, size)
    paint(folder, "card--plain--light-desktop", 30, size)
    return folder
