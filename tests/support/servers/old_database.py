"""Databases for tests of upgrades, on the server of the tests; one is of an older version."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core.management import call_command
from django.db import connection
from psycopg import sql

from visual_review.accounts.setup import create_first_owner

# There is no older version of ours yet, so a migration of a library is undone.
UNDONE: Final = ("account", "0009_emailaddress_unique_primary_email")
UNDO: Final = """
    DROP INDEX unique_primary_email;
    DELETE FROM django_migrations WHERE name = '0009_emailaddress_unique_primary_email'
"""


@contextmanager
def old_database() -> Iterator[str]:
    """Create a database with all migrations but UNDONE, and an owner; yields its name."""
    with new_database("old") as name:
        with connected_to(name):
            call_command("migrate", verbosity=0)
            create_first_owner("alice@example.com", "a password that is long", "Acme")
            with connection.cursor() as cursor:
                cursor.execute(UNDO)
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
    # A pool stays with the database of its first connection.
    connection.close_pool()
    connection.settings_dict["NAME"] = name


def _on_server(statement: str, *names: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
