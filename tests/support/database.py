"""The tests' database: its personas, and restoring it after a test.

A process's database is a copy of a migrated one. The personas are committed once. Most tests run in
a transaction that is rolled back; after a test with commits, ``restore`` returns the database to
the initial state.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import connection, transaction
from psycopg import sql

from tests.support.personas import Personas, make_personas
from tests.support.saved_rows import SavedRows, filled_tables, save_rows_of


@dataclass
class _InitialState:
    """``kept`` are the tables filled by migrations and never changed."""

    kept: frozenset[str] = frozenset()
    personas: Personas | None = None
    rows: SavedRows | None = None


_initial = _InitialState()


def begin() -> None:
    """Commit the personas to the new database."""
    _initial.kept = frozenset(filled_tables())
    _initial.personas, _initial.rows = save_rows_of(make_personas)


def restore() -> None:
    """Delete everything committed by a test, and restore the personas.

    Django's own flush truncates every table and creates all permissions again, and takes many times
    as long.
    """
    filled = [table for table in filled_tables() if table not in _initial.kept]
    if filled:
        names = sql.SQL(", ").join(map(sql.Identifier, filled))
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))
    assert _initial.rows is not None
    _initial.rows.insert()


def current_personas() -> Personas:
    """Return the personas of the database, for one test to change at will."""
    assert _initial.personas is not None
    return copy.deepcopy(_initial.personas)


def delete_personas() -> None:
    """Empty the database like before the first start, until the end of the test."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE accounts_organization, accounts_user CASCADE")


def end_other_sessions() -> None:
    """Close connections left open by threads of tests, so that the database can be dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            # Each call waits until the session is gone; otherwise the database would still be in
            # use.
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    # After a browser test another connection drops the database, and would fail.
    connection.close()


@contextmanager
def rolled_back() -> Iterator[None]:
    """Roll back the changes of the block, so that each case finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
