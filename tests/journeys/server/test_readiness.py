"""The state of each dependency that ``/readyz`` reports."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from visual_review.config.http.health import check_dependencies

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_workers(transactional_db: None) -> Iterator[None]:  # noqa: ARG001 - It opens the database.
    """Empty a table of the queue, which Django does not clean up."""
    _delete_workers()
    yield
    _delete_workers()


def _delete_workers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_workers")


def add_heartbeat(seconds_ago: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) "
            "VALUES (now() - make_interval(secs => %s))",
            [seconds_ago],
        )


def test_it_is_ready_with_a_recent_heartbeat() -> None:
    add_heartbeat(seconds_ago=5)
    assert check_dependencies().ready


def test_a_missing_heartbeat_is_reported() -> None:
    add_heartbeat(seconds_ago=60)
    readiness = check_dependencies()
    assert (readiness.database, readiness.storage) == ("ok", "ok")
    assert readiness.worker == "none seen for 30 seconds"
    assert not readiness.ready


def test_a_storage_that_cannot_be_written_is_reported(settings: Settings, tmp_path: Path) -> None:
    add_heartbeat(seconds_ago=5)
    # A file has the name of the folder for the probe.
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "probe").write_text("in the way")
    settings.STORAGE_URL = (tmp_path / "storage").as_uri()
    readiness = check_dependencies()
    assert readiness.storage == "cannot be written or read"
    assert not readiness.ready
