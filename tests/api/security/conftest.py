"""The web application on a real port, for clients trying to stop the service."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.servers.in_process_service import InProcessService, in_process_service
from tests.support.servers.web import RawClient


@pytest.fixture(scope="module")
def service(
    django_db_setup: None,  # noqa: ARG001 - It makes the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[InProcessService]:
    folder = tmp_path_factory.mktemp("service")
    # Without proxies, so that the address of each connection is its client.
    with in_process_service(django_db_blocker, folder, TRUSTED_PROXIES=()) as running:
        yield running


@pytest.fixture
def client(service: InProcessService) -> RawClient:
    return RawClient(service.url)
