"""A service and a Git provider for all of these journeys; provider and worker are processes."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from django.conf import settings
from pytest_django.plugin import DjangoDbBlocker
from scripts.demo_pages import Pages, connect_gitea, signed_in
from scripts.local_host.running import LocalHost, running_local_host

from tests.support.ci.job import CiJob
from tests.support.hosts.pull_request import TOKEN, HostedPullRequest
from tests.support.personas import PASSWORD
from tests.support.servers.in_process_service import InProcessService, in_process_service
from tests.support.servers.worker import Worker, database_environment

NUMBERS = count(1)


@pytest.fixture(scope="package")
def local_host() -> Iterator[LocalHost]:
    with running_local_host() as host:
        yield host


@pytest.fixture(scope="package")
def service(
    django_db_setup: None,  # noqa: ARG001 - It creates the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
    local_host: LocalHost,
) -> Iterator[InProcessService]:
    folder = tmp_path_factory.mktemp("service")
    # Comments of rejections need not wait: test_rejections tests the wait.
    changed = {"SOURCE_HOSTS": (local_host.url,), "REJECTION_DELAY_SECONDS": 0}
    with in_process_service(django_db_blocker, folder, **changed) as running:
        yield running


@pytest.fixture(scope="package")
def worker(
    service: InProcessService, local_host: LocalHost, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Worker]:
    environment = database_environment(
        VISUAL_REVIEW_SECRET_KEY=settings.SECRET_KEY,
        VISUAL_REVIEW_STORAGE_URL=service.blobs.as_uri(),
        VISUAL_REVIEW_PUBLIC_URL=service.url,
        VISUAL_REVIEW_SOURCE_HOSTS=local_host.url,
    )
    worker = Worker(tmp_path_factory.mktemp("worker"), environment)
    worker.start()
    yield worker
    worker.end()


@pytest.fixture(autouse=True)
def source_host() -> None:
    """Override: the service's own settings allow only the local host."""


@pytest.fixture(scope="package")
def pages(local_host: LocalHost, service: InProcessService) -> Iterator[Pages]:
    """The owner's pages with a connected account; tests send the held webhooks."""
    email = service.personas.alice.user.email
    with signed_in(service.url, email, PASSWORD) as pages:
        local_host.point_webhooks(*connect_gitea(pages, local_host.url, TOKEN), hold=True)
        yield pages


@pytest.fixture
def pull_request(
    local_host: LocalHost,
    service: InProcessService,
    worker: Worker,
    pages: Pages,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[HostedPullRequest]:
    """A pull request not open yet, in its own repository with an approved build of main."""
    monkeypatch.chdir(tmp_path)
    number = next(NUMBERS)
    name = f"harbour/part-{number}"
    local_host.do("add_repository", full_name=name)
    connected = service.act("connect_repo", fullName=name)
    job = CiJob(service, connected["repo"]["id"], connected["projectToken"], tmp_path)
    pull_request = HostedPullRequest(local_host, pages, job, worker, name, number)
    pull_request.publish_main()
    yield pull_request
    # Faults left by a failed test must not affect the next one.
    local_host.set_faults()
