"""Whether the database is at the version of the program."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from visual_review.config.environment import DATABASE_URL, StartupError
from visual_review.config.startup import check_database, check_storage

# Any fixed number: simultaneous migrations wait for each other.
LOCK = 7_305_002
# A migration of every database from before the rewrite of the initial migrations.
BEFORE_RELEASE = ("accounts", "0002_cache_table")


@contextmanager
def migration_lock() -> Iterator[None]:
    """Hold the lock until the block ends, by a transaction of another connection."""
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        server.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        yield


def check_history(loader: MigrationLoader) -> None:
    """Raise StartupError if the database has migrations unknown to the program."""
    if BEFORE_RELEASE in loader.applied_migrations:
        raise StartupError(
            "The database was made by a development version of Visual Review from before its "
            "first release, which cannot be upgraded: start with a new data folder or an empty "
            "database and storage."
        )
    ours = {app for app, _ in loader.disk_migrations}
    unknown = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in ours and (app, name) not in loader.disk_migrations
    )
    if unknown:
        raise StartupError(
            f"The database was used by a newer version of Visual Review: it has {unknown[-1]}, "
            "which this version does not know. Install that version or a later one; to go back, "
            "restore a backup from before the upgrade into an empty database and storage."
        )


def check_migrations() -> None:
    """Raise StartupError unless the database is exactly at the program's version."""
    executor = MigrationExecutor(connection)
    check_history(executor.loader)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise StartupError(
            "The database is not at the version of this program. Run 'visual-review migrate' once "
            "with the same environment, then run this command again."
        )


def check_all() -> None:
    """Check everything needed by a web process or worker before the start."""
    check_database()
    check_migrations()
    check_storage()
