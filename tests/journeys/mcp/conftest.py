"""One service for all journeys of MCP clients, with a build that is to be reviewed."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from scripts.demo_server import DemoServer, running_server
from scripts.setup_steps import ROOT

from tests.journeys.mcp.clients import CLIENTS
from tests.journeys.mcp.signing import SIGNING
from tests.journeys.publish.ci_job import CiJob, paint
from tests.servers.client_documents import CERTIFICATE_VARIABLE, SETTINGS, make_certificate
from tests.servers.service import open_folder

REPOSITORY = "harbour/design-system"
STEADY = "card--plain"
# Nobody's decision stands in another's way.
STORIES = {client: f"button--{client}" for client in (*CLIENTS, *SIGNING)}


@dataclass(frozen=True)
class Place:
    """A running service; in ``build`` a story of each client has changed, and one has not."""

    server: DemoServer
    build: str

    @property
    def address(self) -> str:
        return f"{self.server.url}/api/mcp"

    def screenshots(self) -> dict[str, dict[str, Any]]:
        """Story -> its screenshot in the build, as REST tells it now."""
        build = self.server.act("get_build", buildId=self.build)["build"]
        return {shot["storyId"]: shot for shot in build["screenshots"]}


@pytest.fixture(scope="package")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the server that describes clients; the service trusts it."""
    file = tmp_path_factory.mktemp("certificate") / "localhost.pem"
    make_certificate(file)
    return file


@pytest.fixture(scope="package")
def place(certificate: Path) -> Iterator[Place]:
    with open_folder() as folder, ExitStack() as stack:
        with _settings(certificate):
            server = stack.enter_context(running_server(folder, liked_port=0))
        connected = server.act("connect_repo", fullName=REPOSITORY)
        job = CiJob(server, connected["repo"]["id"], connected["projectToken"], folder)
        images = folder / "images"
        paint(images, f"{STEADY}--light-desktop", 0)
        _paint_stories(images, 10)
        job.publish(images)
        job.approve_newest()
        _paint_stories(images, 90)
        job.publish(images)
        yield Place(server, job.builds()[0]["id"])


@contextmanager
def _settings(certificate: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_SETTINGS_MODULE", SETTINGS)
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv(CERTIFICATE_VARIABLE, str(certificate))
        yield


def _paint_stories(images: Path, shade: int) -> None:
    for number, story in enumerate(STORIES.values()):
        paint(images, f"{story}--light-desktop", shade + number)
