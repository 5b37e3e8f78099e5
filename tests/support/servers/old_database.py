"""Databases as an older version left them, on the server of the tests."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

# One more step back, so that there is always a migration to apply.
UNDONE: Final = ("builds", "0006_following_pull_requests")
UNDO: Final = "ALTER TABLE builds_baseline DROP COLUMN branch_deleted_at"


@contextmanager
def old_database(migrations: Mapping[str, str], rows: str) -> Iterator[str]:
    """Create a database at ``migrations`` less one, with ``rows``; yields its name."""
    with new_database("old") as name:
        with connected_to(name):
            MigrationExecutor(connection).migrate(list(migrations.items()))
            with connection.cursor() as cursor:
                # The rows come by table, so that some come before those they refer to.
                cursor.execute(f"SET session_replication_role = replica; {rows}")
                cursor.execute(UNDO)
                cursor.execute("DELETE FROM django_migrations WHERE app = %s AND name = %s", UNDONE)
        yield name


@contextmanager
def new_database(prefix: str, template: str = "template1") -> Iterator[str]:
    """Create a database, empty or a copy of ``template``, until the block ends; yields its name."""
    name = f"{prefix}_{connection.settings_dict['NAME']}"
    _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
    _on_server("CREATE DATABASE {} TEMPLATE {}", name, template)
    try:
        yield name
    finally:
        _on_server("DROP DATABASE {} WITH (FORCE)", name)


@contextmanager
def connected_to(name: str) -> Iterator[None]:
    """Let all connections lead to the database until the block ends."""
    before = connection.settings_dict["NAME"]
    _connect(name)
    try:
        yield
    finally:
        _connect(before)


def _connect(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _on_server(statement: str, *names: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
