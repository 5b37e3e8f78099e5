"""Migrates the database, and creates the first owner or a link for creating the owner."""

from collections.abc import Callable
from pathlib import Path

from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.migration import Migration
from psycopg import errors

from visual_review.accounts.setup import create_first_owner, first_owner_needed, make_setup_link
from visual_review.config.commands.upgrade_backup import back_up_before_upgrade
from visual_review.config.errors import StartupError
from visual_review.config.first_owner import FirstOwner, parse_owner_options
from visual_review.config.schema_version import check_history, migration_lock
from visual_review.kernel.errors import VisualReviewError

__all__ = ["FirstOwner", "migrate", "parse_owner_options"]
NO_BACKUP = (
    "The database is upgraded without a backup by this command. To have one, pass --backups."
)
# PostgreSQL needs a commit between two migrations: before a new value of a type is used, and
# before a table with pending checks is changed.
_NEEDS_COMMIT = (errors.UnsafeNewEnumValueUsage, errors.ObjectInUse)


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
