"""The database of an older version, created once.

``data`` was written by the version before modules and jobs were renamed: an approved build, one in
review with a rejection, one that waits to be processed, recordings, an outbox and queued jobs.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.support.servers.old_database import old_database

DATA: Final = Path(__file__).with_name("data")


@pytest.fixture(scope="package")
def facts() -> dict[str, Any]:
    """What the older version wrote: its migrations, and the IDs of its rows."""
    read: dict[str, Any] = json.loads((DATA / "facts.json").read_text())
    return read


@pytest.fixture(scope="package")
def older(
    django_db_setup: None,  # noqa: ARG001 - It starts the server.
    django_db_blocker: DjangoDbBlocker,
    facts: dict[str, Any],
) -> Iterator[str]:
    """The name of the older version's database; tests copy it."""
    with (
        django_db_blocker.unblock(),
        old_database(facts["migrations"], (DATA / "rows.sql").read_text()) as name,
    ):
        yield name
