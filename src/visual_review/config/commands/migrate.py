"""Migrates the database, and creates the first owner or a link for creating the owner."""

import re
import shutil
from collections.abc import Callable, Iterable
from datetime import datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from psycopg import errors

from visual_review.accounts.setup import create_first_owner, first_owner_needed, make_setup_link
from visual_review.config.commands.backup import write_database_backup
from visual_review.config.environment import StartupError
from visual_review.config.first_owner import FirstOwner, parse_owner_options
from visual_review.config.schema_version import check_history, migration_lock
from visual_review.kernel.clock import now
from visual_review.kernel.errors import VisualReviewError

__all__ = ["FirstOwner", "migrate", "parse_owner_options"]
NO_BACKUP = (
    "The database is upgraded without a backup by this command. To have one, pass --backups."
)
# PostgreSQL needs a commit between two migrations: before a new value of a type is used, and
# before a table with pending checks is changed.
_NEEDS_COMMIT = (errors.UnsafeNewEnumValueUsage, errors.ObjectInUse)
# How many upgrades can be undone: of each, the first backup and the newest are kept.
UPGRADES_KEPT = 3
# The space for the migration itself is not known; a full disk would stop the database.
RESERVED_BYTES = 256 * 1024 * 1024
NAME = re.compile(
    r"before-(?P<program>.+)-(?P<time>\d{8}T\d{6}\.\d{3}Z)\.tar(?P<partial>\.partial)?"
)
SIZE = "SELECT pg_database_size(current_database())"


def migrate(owner: FirstOwner | None, backups: Path | None, report: Callable[[str], None]) -> str:
    """Apply migrations; returns the one-time setup link, or "" when no link is needed.

    A database with data is backed up to the folder ``backups`` first; ``report`` receives messages
    on the backup for the operator.
    """
    with migration_lock():
        _create_or_upgrade(backups, report)
        return _create_first_owner_or_link(owner)


def _create_or_upgrade(backups: Path | None, report: Callable[[str], None]) -> None:
    executor = MigrationExecutor(connection)
    check_history(executor.loader)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        return
    if not executor.loader.applied_migrations:
        _apply_each()
        return
    if backups is None:
        report(NO_BACKUP)
    else:
        report(f"Backing up the database to {backups} before {len(plan)} migrations.")
        report(describe_way_back(back_up_before_upgrade(backups)))
    _apply_all([migration for migration, _ in plan])


def describe_way_back(backup: Path) -> str:
    return (
        f"The database as it was before this upgrade is in {backup}. To go back: stop the service, "
        f"install the earlier version, run 'visual-review restore {backup}' into a new data folder "
        "or an empty database, and keep the images and the secret key ('Upgrade' in the guide "
        "'Host the service' has the commands)."
    )


def _apply_all(plan: list[Migration]) -> None:
    """Apply all migrations or none: an interrupted upgrade leaves the earlier database."""
    if not all(migration.atomic for migration in plan):
        _apply_each()
        return
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                # Pending checks of changed rows would forbid the next change of their table.
                cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
            _apply_each()
    except DatabaseError as error:
        if not isinstance(error.__cause__, _NEEDS_COMMIT):
            raise StartupError(
                "The upgrade failed and changed nothing: the earlier version still runs on this "
                f"database. The cause: {error}"
            ) from error
        _apply_each()


def _apply_each() -> None:
    call_command("migrate", interactive=False, verbosity=0)


def _create_first_owner_or_link(owner: FirstOwner | None) -> str:
    if not first_owner_needed():
        return ""
    if owner is None:
        return make_setup_link()
    try:
        create_first_owner(owner.email, owner.password, owner.organization)
    except VisualReviewError as error:
        raise StartupError(f"The first owner was not created. {error}") from error
    return ""


def back_up_before_upgrade(folder: Path) -> Path:
    """Write a backup of the database into ``folder``; raises StartupError on failure."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_space(folder, _measure_database())
    except OSError as error:
        raise StartupError(
            "The database was not upgraded: its backup cannot be written to "
            f"{folder}: {error.strerror or error}."
        ) from error
    path = folder / make_name(version("visual-review"), now())
    write_database_backup(path)
    for name in list_superfluous(entry.name for entry in folder.iterdir()):
        (folder / name).unlink(missing_ok=True)
    return path


def check_space(folder: Path, database_bytes: int) -> None:
    """Raise StartupError unless the backup fits; a backup is smaller than the database."""
    needed, free = database_bytes + RESERVED_BYTES, shutil.disk_usage(folder).free
    if free < needed:
        raise StartupError(
            "The database was not upgraded: the backup before the upgrade needs up to "
            f"{needed >> 20} MB in {folder}, where {free >> 20} MB are free. Free space, or set "
            "VISUAL_REVIEW_BACKUPS to a folder on another disk."
        )


def make_name(program: str, moment: datetime) -> str:
    """Return the name of a backup before the upgrade to ``program``."""
    # To the millisecond, as a second attempt may follow at once.
    milliseconds = moment.microsecond // 1000
    return f"before-{program}-{moment:%Y%m%dT%H%M%S}.{milliseconds:03}Z.tar"


def list_superfluous(names: Iterable[str]) -> list[str]:
    """Return the backups to delete, and the remains of interrupted ones.

    A repeatedly failing upgrade has many backups. The first has the state before the upgrade, the
    newest the work done since.
    """
    found = [match for name in names if (match := NAME.fullmatch(name))]
    partial = [match[0] for match in found if match["partial"]]
    complete = sorted(
        (match for match in found if not match["partial"]), key=lambda match: match["time"]
    )
    upgrades = [list(group) for _, group in groupby(complete, lambda match: match["program"])]
    kept = {
        match[0] for upgrade in upgrades[-UPGRADES_KEPT:] for match in (upgrade[0], upgrade[-1])
    }
    return sorted([*partial, *(match[0] for match in complete if match[0] not in kept)])


def _measure_database() -> int:
    with connection.cursor() as cursor:
        cursor.execute(SIZE)
        return int(cursor.fetchone()[0])
