"""A service and a Git provider as users run them, shared by these journeys."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import httpx
import pytest
from scripts.demo_pages import connect_gitea, signed_in
from scripts.demo_server import DemoServer, running_server
from scripts.local_host.running import LocalHost, running_local_host

from tests.support.servers.service import open_folder
from tests.support.servers.template import copy_data_folder

TOKEN = "a-token-of-the-tests"
NUMBERS = count(1)


@pytest.fixture(scope="package")
def local_host() -> Iterator[LocalHost]:
    with running_local_host() as host:
        yield host


@pytest.fixture(scope="package")
def server(local_host: LocalHost) -> Iterator[DemoServer]:
    """``visual-review up`` with an account at the Git provider."""
    settings = {"VISUAL_REVIEW_SOURCE_HOSTS": local_host.url}
    with open_folder() as folder:
        copy_data_folder(folder / "data")
        with running_server(folder, preferred_port=0, settings=settings) as running:
            with signed_in(running.url, running.email, running.password) as pages:
                connect_gitea(pages, local_host.url, TOKEN)
            yield running


@pytest.fixture
def host_repository(local_host: LocalHost) -> Iterator[str]:
    """The only unconnected repository at the Git provider; its branch is trunk."""
    name = f"harbour/design-{next(NUMBERS)}"
    local_host.do("add_repository", full_name=name, default_branch="trunk")
    yield name
    local_host.do("remove_repository", full_name=name)


@pytest.fixture
def document(server: DemoServer, tmp_path: Path) -> Path:
    """The OpenAPI document served by the service."""
    file = tmp_path / "openapi.json"
    served = httpx.get(f"{server.url}/api/openapi.json").raise_for_status()
    file.write_text(json.dumps(served.json()))
    return file


@pytest.fixture(autouse=True)
def working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run outside of our own checkout, whose commit the command would find."""
    monkeypatch.chdir(tmp_path)
