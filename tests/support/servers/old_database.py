"""Databases as an older version left them, on the server of the tests."""

import hashlib
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from psycopg import sql

from tests.support.servers.template import made_once
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.postgres_programs import programs_for

# One more step back, so that there is always a migration to apply.
UNDONE: Final = ("builds", "0006_following_pull_requests")
UNDO: Final = "ALTER TABLE builds_baseline DROP COLUMN branch_deleted_at"


@contextmanager
def old_database(migrations: Mapping[str, str], rows: str) -> Iterator[str]:
    """Create a database at ``migrations`` less one, with ``rows``; yields its name."""
    facts = f"{migrations} {rows} {UNDONE} {UNDO}".encode()
    dumped = made_once(
        f"old-{hashlib.sha256(facts).hexdigest()[:16]}.sql", lambda: _make(migrations, rows)
    )
    with new_database("old") as name:
        _load(dumped, name)
        yield name


def _make(migrations: Mapping[str, str], rows: str) -> bytes:
    with new_database("old") as name:
        with connected_to(name):
            _fill(migrations, rows)
        return dump(name)


def _fill(migrations: Mapping[str, str], rows: str) -> None:
    MigrationExecutor(connection).migrate(list(migrations.items()))
    with connection.cursor() as cursor:
        # The rows come by table, so that some come before those they refer to.
        cursor.execute(f"SET session_replication_role = replica; {rows}")
        cursor.execute(UNDO)
        cursor.execute("DELETE FROM django_migrations WHERE app = %s AND name = %s", UNDONE)


def dump(name: str) -> bytes:
    """Return the statements that make the database, on the server of the tests, anew."""
    options = ["--no-owner", "--no-privileges"]
    return _client_program("pg_dump", *options, name).stdout


def _load(statements: bytes, name: str) -> None:
    options = ["--quiet", "--output", os.devnull, "--set", "ON_ERROR_STOP=1"]
    _client_program("psql", *options, name, given=statements)


def _client_program(
    program: str, *options: str, given: bytes | None = None
) -> "subprocess.CompletedProcess[bytes]":
    server = connection.settings_dict
    return subprocess.run(
        [
            programs_for(Account(os.geteuid(), os.getegid(), change=False), Path("/nonexistent"))
            / program,
            *("--host", server["HOST"], "--username", server["USER"]),
            *options,
        ],
        env={**os.environ, "PGPASSWORD": server["PASSWORD"], "PGPORT": str(server["PORT"])},
        input=given,
        capture_output=True,
        check=True,
    )


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
