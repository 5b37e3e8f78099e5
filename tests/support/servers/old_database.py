"""A database at older migrations, with rows that an older version wrote, in place of the tests'."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

NAME: Final = "upgraded"


@contextmanager
def upgraded_database(migrations: Mapping[str, str], rows: str) -> Iterator[None]:
    """Migrate an empty database to ``migrations``, insert ``rows``, and migrate it to today's.

    All connections lead there until the block ends.
    """
    tests_database = connection.settings_dict["NAME"]
    name = f"{NAME}_{tests_database}"
    _on_server("DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
    _on_server("CREATE DATABASE {}", name)
    _connect(name)
    try:
        MigrationExecutor(connection).migrate(list(migrations.items()))
        with connection.cursor() as cursor:
            # The rows come by table, so that some come before those they refer to.
            cursor.execute(f"SET session_replication_role = replica; {rows}")
        connection.close()
        call_command("migrate", verbosity=0)
        yield
    finally:
        _connect(tests_database)
        _on_server("DROP DATABASE {} WITH (FORCE)", name)


def _connect(name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name


def _on_server(statement: str, name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(sql.Identifier(name)))
