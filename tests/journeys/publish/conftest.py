"""One running server for all of these journeys, and its repositories."""

import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from scripts.demo_server import DemoServer, running_server

from tests.support.ci.job import CiJob, connect_repository, paint
from tests.support.servers.service import open_folder
from tests.support.servers.template import copy_data_folder

NUMBERS = count(1)


@pytest.fixture(scope="package")
def server() -> Iterator[DemoServer]:
    """One server as ``visual-review up`` runs the service, for all of these journeys."""
    # Test processes started together would all find the preferred port free.
    with open_folder() as folder:
        copy_data_folder(folder / "data")
        with running_server(folder, preferred_port=0) as running:
            yield running


def paint_images(folder: Path) -> Path:
    """Paint three images of two stories, unknown to the server from other tests."""
    size = (40, 30 + next(NUMBERS))
    paint(folder, "button--primary--light-desktop", 10, size)
    paint(folder, "button--primary--dark-desktop", 20, size)
    paint(folder, "card--plain--light-desktop", 30, size)
    return folder


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run outside of our own checkout, whose commit the command would find."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def job(server: DemoServer, tmp_path: Path) -> CiJob:
    """A new repository, and a separate folder to run in."""
    return connect_repository(server, tmp_path)


@pytest.fixture
def images(tmp_path: Path) -> Path:
    return paint_images(tmp_path / "images")


@pytest.fixture(scope="package")
def approved_images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return paint_images(tmp_path_factory.mktemp("approved") / "images")


@pytest.fixture(scope="package")
def approved_job(server: DemoServer, approved_images: Path) -> CiJob:
    """A repository whose main has ``approved_images`` as its baseline; no test may approve main."""
    job = connect_repository(server, approved_images.parent)
    assert job.publish(approved_images).returncode == 1
    job.approve_newest()
    return job


@pytest.fixture
def images_to_change(approved_images: Path, tmp_path: Path) -> Path:
    """A copy of the approved images for one test."""
    return Path(shutil.copytree(approved_images, tmp_path / "images"))
