"""Writes in the background, with the real thread and a connection of its own."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from django.db import DatabaseError, connection

from tests.support.api_keys import call, user_key
from tests.support.personas import Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.last_use import USES
from visual_review.accounts.models import ApiKey
from visual_review.kernel.background_writes import BackgroundWrites

# As the service runs it; for all other tests, it is replaced when the first one starts.
SUBMIT = BackgroundWrites.submit
WAIT_SECONDS = 30
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def in_background(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(BackgroundWrites, "submit", SUBMIT)
    yield
    # After this, the tables are emptied, which a write at that moment would deadlock with.
    USES.finish()


def wait_until(is_done: Callable[[], object]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def other_sessions() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def test_the_only_call_of_a_key_is_recorded(personas: Personas) -> None:
    before = other_sessions()
    for use in (lambda key: call(key, "list_repos", {}), caller_of_bearer):
        key = user_key(personas.bob)
        use(key)
        wait_until(lambda: not ApiKey.objects.filter(last_used_at=None).exists())
    # An idle service keeps no connection for it.
    wait_until(lambda: other_sessions() == before)


def test_a_call_does_not_wait_until_its_use_is_recorded(personas: Personas) -> None:
    key = user_key(personas.bob)
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM accounts_apikey FOR UPDATE")
        assert call(key, "list_repos", {}).status_code == 200
        assert ApiKey.objects.get().last_used_at is None
        cursor.execute("COMMIT")
    wait_until(lambda: ApiKey.objects.get().last_used_at)


def test_what_is_submitted_already_is_not_submitted_again() -> None:
    writes = BackgroundWrites("test")
    goes_on, finished, written = threading.Event(), threading.Event(), []
    writes.submit("first", goes_on.wait)
    for number in range(3):
        writes.submit("same", lambda number=number: written.append(number))  # type: ignore[misc]
    writes.submit("other", finished.set)
    goes_on.set()
    assert finished.wait(WAIT_SECONDS)
    assert written == [0]


def test_a_write_that_fails_is_logged_and_the_next_one_runs(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> None:
        raise DatabaseError("The disk is full.")

    writes, finished = BackgroundWrites("the last use"), threading.Event()
    with caplog.at_level(logging.WARNING):
        writes.submit("key", fail)
        wait_until(lambda: caplog.records)
    assert "could not store the last use" in caplog.text
    writes.submit("key", finished.set)
    assert finished.wait(WAIT_SECONDS)


def test_an_orderly_end_waits_for_what_was_submitted() -> None:
    writes, written = BackgroundWrites("test"), []
    for number in range(3):
        writes.submit(number, lambda number=number: written.append(number))  # type: ignore[misc]
    writes.finish()
    assert written == [0, 1, 2]
