"""A service without a worker: a test starts and kills its own, the only sender."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.servers.in_process_service import InProcessService, in_process_service


@pytest.fixture(scope="package")
def service(
    django_db_setup: None,  # noqa: ARG001 - It creates the database.
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[InProcessService]:
    with in_process_service(django_db_blocker, tmp_path_factory.mktemp("service")) as running:
        yield running
