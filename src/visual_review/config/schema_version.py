"""Whether the database is at the version of this program."""

from collections.abc import Collection

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader

from visual_review.config.errors import StartupError
from visual_review.config.schema.installed import Migration
from visual_review.config.schema.preparation import is_current
from visual_review.config.startup import check_database, check_storage


def unknown_migrations() -> list[str]:
    """List migrations that only the database has: it was used by a newer version."""
    loader = MigrationExecutor(connection).loader
    ours = {app for app, _ in loader.disk_migrations}
    return sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in ours and (app, name) not in loader.disk_migrations
    )


def leaves(graph: MigrationGraph, nodes: Collection[Migration]) -> list[Migration]:
    """Return the newest of ``nodes``: those on which none of the others depends."""
    return [
        node
        for node in nodes
        if not any(child.key in nodes for child in graph.node_map[node].children)
    ]


def applied_leaves(loader: MigrationLoader) -> list[Migration]:
    """Return the newest migrations that the database has."""
    return leaves(
        loader.graph, {node for node in loader.applied_migrations if node in loader.graph.nodes}
    )


def check_database_is_not_newer() -> None:
    unknown = unknown_migrations()
    if unknown:
        raise StartupError(
            f"The database was used by a newer version of Visual Review: it has {unknown[-1]}, "
            "which this version does not know. Install that version or a later one; to go back, "
            "restore a backup from before the upgrade into an empty database and storage."
        )


def check_migrations() -> None:
    """Raise StartupError unless the database is exactly at this program's version."""
    connection.ensure_connection()
    if is_current(connection.connection):
        return
    check_database_is_not_newer()
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise StartupError(
            "The database is not at the version of this program. Run 'visual-review migrate' once "
            "with the same environment, then run this command again."
        )


def check_all() -> None:
    """Check everything a web process or worker needs before it starts."""
    check_database()
    check_migrations()
    check_storage()
