"""The tests' database: personas that are always there, and what tests must leave behind.

A process's database is a copy of one that is migrated. The personas are committed to it once. Most
tests run in a transaction that is rolled back; after one that commits, ``restore`` brings the
database back to that beginning.
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
class _Beginning:
    """``kept`` are the tables that migrations filled; they never change afterwards."""

    kept: frozenset[str] = frozenset()
    personas: Personas | None = None
    rows: SavedRows | None = None


_beginning = _Beginning()


def begin() -> None:
    """Commit the personas to the database that was just created."""
    _beginning.kept = frozenset(filled_tables())
    _beginning.personas, _beginning.rows = save_rows_of(make_personas)


def restore() -> None:
    """Delete whatever a test committed, and bring the personas back.

    Django's own flush truncates every table and creates all permissions again, which takes many
    times as long.
    """
    filled = [table for table in filled_tables() if table not in _beginning.kept]
    if filled:
        names = sql.SQL(", ").join(map(sql.Identifier, filled))
        with connection.cursor() as cursor:
            cursor.execute(sql.SQL("TRUNCATE {} CASCADE").format(names))
    assert _beginning.rows is not None
    _beginning.rows.insert()


def current_personas() -> Personas:
    """The personas of this database, for one test to change as it likes."""
    assert _beginning.personas is not None
    return copy.deepcopy(_beginning.personas)


def delete_personas() -> None:
    """Leave the database as it is before the first start, until the test's end."""
    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE accounts_organization, accounts_user CASCADE")


def end_other_sessions() -> None:
    """Close what threads of tests left open, or the database could not be dropped."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


@contextmanager
def rolled_back() -> Iterator[None]:
    """Undo what the block did to the database, so that each case finds the same rows."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
