"""What ``/readyz`` says of each part, looked at directly."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from pytest_django.fixtures import Settings

from visual_review.config.http.health import look

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def no_workers(transactional_db: None) -> Iterator[None]:  # noqa: ARG001 - It opens the database.
    """The queue's tables are not Django's, so that its own cleaning passes them over."""
    _forget_workers()
    yield
    _forget_workers()


def _forget_workers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM procrastinate_workers")


def beat(seconds_ago: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO procrastinate_workers (last_heartbeat) "
            "VALUES (now() - make_interval(secs => %s))",
            [seconds_ago],
        )


def test_all_is_well_when_a_worker_was_seen_lately() -> None:
    beat(seconds_ago=5)
    assert look().ready


def test_no_worker_for_a_while_is_told() -> None:
    beat(seconds_ago=60)
    found = look()
    assert (found.database, found.storage) == ("ok", "ok")
    assert found.worker == "none seen for 30 seconds"
    assert not found.ready


def test_a_storage_that_takes_nothing_is_told(settings: Settings, tmp_path: Path) -> None:
    beat(seconds_ago=5)
    # A file stands where the probe's folder would be made.
    (tmp_path / "storage").mkdir()
    (tmp_path / "storage" / "probe").write_text("in the way")
    settings.STORAGE_URL = (tmp_path / "storage").as_uri()
    found = look()
    assert found.storage == "cannot be written or read"
    assert not found.ready
