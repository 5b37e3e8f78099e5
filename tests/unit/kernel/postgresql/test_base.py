"""The connection's health check and prepared statements, with a real server."""

import time
from collections.abc import Iterator
from typing import cast

import pytest
from django.db import OperationalError, connection

from visual_review.kernel.postgresql.base import (
    CHECKED_EVERY_SECONDS,
    PREPARED,
    DatabaseWrapper,
)

MARK = "SELECT 'the last query of a request'"


@pytest.fixture
def own(transactional_db: None) -> Iterator[DatabaseWrapper]:  # noqa: ARG001 - It opens the database.
    """A connection of its own, as a thread has one."""
    copied = cast("DatabaseWrapper", connection.copy())
    yield copied
    copied.close()


def serve_request(own: DatabaseWrapper) -> None:
    """Run one query between what Django does before and after a request."""
    own.health_check_done = False
    own.close_if_unusable_or_obsolete()
    with own.cursor() as cursor:
        cursor.execute(MARK)
    own.close_if_unusable_or_obsolete()


def check_health(own: DatabaseWrapper) -> bool:
    """Check the connection as the first query of a request does; return whether it asked."""
    own.health_check_done = False
    own.close_if_health_check_failed()
    with connection.cursor() as cursor:
        pid = own.connection.info.backend_pid
        cursor.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [pid])
        return bool(cursor.fetchone() == ("SELECT 1",))


def backend_of(own: DatabaseWrapper) -> int:
    return int(own.connection.info.backend_pid)


def end_connection(own: DatabaseWrapper) -> None:
    """What a restart of PostgreSQL does to a connection."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [backend_of(own)])


def test_a_connection_that_was_used_a_moment_ago_is_not_asked(own: DatabaseWrapper) -> None:
    serve_request(own)
    assert not check_health(own)


def test_a_connection_that_was_not_checked_for_a_while_is_asked(
    own: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve_request(own)
    later = time.monotonic() + CHECKED_EVERY_SECONDS
    with monkeypatch.context() as patched:
        patched.setattr(time, "monotonic", lambda: later)
        assert check_health(own)
        serve_request(own)
        assert not check_health(own)


def test_the_first_request_after_a_restart_of_the_server_succeeds(own: DatabaseWrapper) -> None:
    serve_request(own)
    former = backend_of(own)
    end_connection(own)
    serve_request(own)
    assert backend_of(own) != former


def test_the_request_after_one_that_lost_its_connection_succeeds(own: DatabaseWrapper) -> None:
    serve_request(own)
    own.health_check_done = True
    end_connection(own)
    with pytest.raises(OperationalError), own.cursor() as cursor:
        cursor.execute(MARK)
    serve_request(own)


def prepared_in(own: DatabaseWrapper) -> list[str]:
    """Return the statements that are prepared after the same one ran twice."""
    for number in (1, 2):
        with own.prepared_cursor() as cursor:
            cursor.execute("SELECT %s::int + 1", [number])
            assert cursor.fetchall() == [(number + 1,)]
    with own.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [row[0] for row in cursor.fetchall()]


def test_statements_of_a_prepared_cursor_are_prepared_once(own: DatabaseWrapper) -> None:
    own.settings_dict["OPTIONS"][PREPARED] = True
    assert prepared_in(own) == ["SELECT $1::int + 1"]


def test_no_statement_is_prepared_where_the_operator_turned_that_off(own: DatabaseWrapper) -> None:
    own.settings_dict["OPTIONS"][PREPARED] = False
    assert prepared_in(own) == []
