"""The database of an older version, created once."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.servers.old_database import old_database


@pytest.fixture(scope="package")
def older(
    django_db_setup: None,  # noqa: ARG001 - It starts the server.
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[str]:
    """The name of the older version's database; tests copy the database."""
    with django_db_blocker.unblock(), old_database() as name:
        yield name
