"""One service and one source host, each in processes of their own, for all of these journeys."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from scripts.demo_pages import Pages, connect_gitea, signed_in
from scripts.demo_server import EMAIL, DemoServer, running_server
from scripts.local_host.running import LocalHost, running_local_host

from tests.journeys.hosts.told import TOKEN, Told
from tests.journeys.publish.ci_job import CiJob
from tests.servers.service import open_folder

NUMBERS = count(1)


@pytest.fixture(scope="package")
def local_host() -> Iterator[LocalHost]:
    with running_local_host() as host:
        yield host


@pytest.fixture(scope="package")
def server(local_host: LocalHost) -> Iterator[DemoServer]:
    settings = {"VISUAL_REVIEW_SOURCE_HOSTS": local_host.url}
    with open_folder() as folder, running_server(folder, 0, settings) as running:
        yield running


@pytest.fixture(scope="package")
def pages(local_host: LocalHost, server: DemoServer) -> Iterator[Pages]:
    """The owner's, who has connected the account; its webhooks wait for a test to send them."""
    with signed_in(server.url, EMAIL, server.password) as pages:
        local_host.point_webhooks(*connect_gitea(pages, local_host.url, TOKEN), hold=True)
        yield pages


@pytest.fixture
def told(
    local_host: LocalHost,
    server: DemoServer,
    pages: Pages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Told]:
    """A repository of its own at both, with an approved build of main."""
    monkeypatch.chdir(tmp_path)
    place = next(NUMBERS)
    name = f"harbour/part-{place}"
    local_host.do("add_repository", full_name=name)
    connected = server.act("connect_repo", fullName=name)
    job = CiJob(server, connected["repo"]["id"], connected["projectToken"], tmp_path)
    told = Told(local_host, pages, job, name, place)
    told.publish_main()
    yield told
    # What a failed test left must not disturb the next.
    local_host.have()
