"""One service for all journeys of MCP clients, with a build in need of a review."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Browser
from pytest_django.plugin import DjangoDbBlocker

from tests.support.api_keys import user_key
from tests.support.browser import open_browser
from tests.support.mcp.clients import CLIENTS
from tests.support.mcp.sign_in import SIGNING_CLIENTS
from tests.support.personas import PASSWORD
from tests.support.servers.client_documents import (
    CERTIFICATE_VARIABLE,
    FETCHER,
    make_certificate,
)
from tests.support.servers.in_process_service import InProcessService, in_process_service
from tests.support.worlds import World

REPOSITORY = "harbour/design-system"
UNCHANGED_STORY = "card--plain"
# One client's decision does not stand in another's way.
STORIES = {client: f"button--{client}" for client in (*CLIENTS, *SIGNING_CLIENTS)}


@dataclass(frozen=True)
class McpService:
    """A running service; in ``build`` a story of each client has changed, and one has not.

    ``key`` is an API key of the person who signs in with ``email`` and ``password``.
    """

    running: InProcessService
    key: str
    build: str
    password: str = PASSWORD

    @property
    def url(self) -> str:
        return self.running.url

    @property
    def endpoint(self) -> str:
        return f"{self.url}/api/mcp"

    @property
    def email(self) -> str:
        return self.running.personas.alice.user.email

    def screenshots(self) -> dict[str, dict[str, Any]]:
        """Return story -> its screenshot in the present build."""
        build = self.running.act("get_build", buildId=self.build)["build"]
        return {shot["storyId"]: shot for shot in build["screenshots"]}


@pytest.fixture(scope="package")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of the server of client documents; the service trusts it."""
    file = tmp_path_factory.mktemp("certificate") / "localhost.pem"
    make_certificate(file)
    return file


@pytest.fixture(scope="package")
def service(
    django_db_setup: None,  # noqa: ARG001 - It makes the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
    certificate: Path,
) -> Iterator[McpService]:
    documents = {**settings.OAUTH2_PROVIDER, "CIMD_METADATA_FETCHER": FETCHER}
    folder = tmp_path_factory.mktemp("service")
    with (
        pytest.MonkeyPatch.context() as patch,
        in_process_service(django_db_blocker, folder, OAUTH2_PROVIDER=documents) as running,
    ):
        patch.setenv(CERTIFICATE_VARIABLE, str(certificate))
        yield _with_build_in_review(running)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


def _with_build_in_review(running: InProcessService) -> McpService:
    owner = running.personas.alice
    world = World(owner, REPOSITORY)
    for shade in (10, 90):
        shots = {story: f"rgb({shade}, 0, {n})" for n, story in enumerate(STORIES.values())}
        build = world.publish({**shots, UNCHANGED_STORY: "white"})
        if shade == 10:
            world.approve(build)
    return McpService(running, user_key(owner), build.id)
