"""Brings a new database to this version, and recognizes one that is, without loading Django."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import psycopg
from psycopg import errors

from visual_review.config.schema.installed import Migration
from visual_review.config.schema.snapshot import Connection, Snapshot

# Any fixed number: simultaneous migrations wait for each other.
LOCK = 7_305_002
# Anything in the schema may belong to a version that kept no record, or to another program.
IS_EMPTY = """
    SELECT current_schema() IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_namespace n WHERE nspname = current_schema() AND (
            EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid)
            OR EXISTS (SELECT FROM pg_type WHERE typnamespace = n.oid)
            OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)
        )
    )
"""
APPLIED = "SELECT app, name FROM django_migrations ORDER BY id"
HAS_OWNER = "SELECT EXISTS (SELECT FROM accounts_organization)"


@dataclass(frozen=True)
class SchemaState:
    """``current``: no migration is missing or unknown; only then is ``has_owner`` known."""

    current: bool
    has_owner: bool


def prepare_schema(url: str) -> SchemaState:
    """Create the schema if the database is empty, and return the state of the database.

    An older database is not changed: that is left to ``visual-review migrate``.
    """
    with psycopg.connect(url, autocommit=True) as server, migration_lock(server):
        current = create_schema(server) or is_current(server)
        return SchemaState(current, current and _has_owner(server))


@contextmanager
def migration_lock(server: Connection) -> Iterator[None]:
    server.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        yield
    finally:
        server.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def create_schema(server: Connection) -> bool:
    """Create everything or nothing; returns whether it did, which needs an empty database.

    It does not where installed packages have other migrations than the snapshot. The caller has
    the lock.
    """
    snapshot = Snapshot.read()
    with server.transaction():
        row = server.execute(IS_EMPTY).fetchone()
        if row is None or not row[0] or not snapshot.has_installed_files():
            return False
        snapshot.apply(server)
        return True


def is_current(server: Connection) -> bool:
    """Whether the database certainly has all migrations of this version, and no others.

    False also where only Django can decide: it knows migrations that replace others.
    """
    snapshot = Snapshot.read()
    return snapshot.has_installed_names() and snapshot.is_applied(list_applied(server))


def list_applied(server: Connection) -> list[Migration]:
    """List the migrations that the database has; none if it was never migrated."""
    try:
        with server.transaction():
            return [(app, name) for app, name in server.execute(APPLIED).fetchall()]
    except errors.UndefinedTable:
        return []


def _has_owner(server: Connection) -> bool:
    row = server.execute(HAS_OWNER).fetchone()
    return bool(row and row[0])
