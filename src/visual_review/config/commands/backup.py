"""Writes a backup: all tables as of one moment, then all blobs. The service may run meanwhile."""

import gzip
import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from graphlib import TopologicalSorter
from importlib.metadata import version
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import Any, LiteralString

import psycopg
from django.db import connection
from django.db.migrations.graph import MigrationGraph
from django.db.migrations.loader import MigrationLoader
from psycopg import IsolationLevel, sql

from visual_review.config.commands.backup_archive import (
    BLOBS,
    FORMAT,
    MANIFEST,
    TABLES,
    ArchiveWriter,
)
from visual_review.config.environment import DATABASE_URL
from visual_review.config.errors import StartupError
from visual_review.kernel.blob_files import get_to_file
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import UnavailableError

Connection = psycopg.Connection[tuple[Any, ...]]
# Unverified uploads, our own probes, and rendered images, which can be rendered again.
TEMPORARY_PREFIXES = ("incoming/", "probe/", "drawn/")
# Most images are smaller and need no temporary file.
IN_MEMORY_BYTES = 8 * 1024 * 1024
QUEUE_TABLES = "procrastinate_"
COLUMNS = """
    SELECT table_name, array_agg(column_name::text ORDER BY ordinal_position)
    FROM information_schema.columns
    WHERE table_schema = current_schema() AND is_generated = 'NEVER' GROUP BY table_name
"""
# Foreign keys that are checked immediately: their tables must be loaded in this order. All
# others are Django's, which are checked at the end of a transaction.
REFERENCES = """
    SELECT child.relname, parent.relname FROM pg_constraint
    JOIN pg_class child ON child.oid = conrelid JOIN pg_class parent ON parent.oid = confrelid
    WHERE contype = 'f' AND NOT condeferrable AND conrelid <> confrelid
"""
SEQUENCES = """
    SELECT sequencename, last_value FROM pg_sequences
    WHERE schemaname = current_schema() AND last_value IS NOT NULL
"""


@dataclass(frozen=True)
class Manifest:
    """What a backup contains and which version wrote it; ``blobs`` is false without them."""

    format: int
    program: str
    created: str
    migrations: list[list[str]]
    tables: dict[str, list[str]]
    sequences: dict[str, int]
    blobs: bool


@dataclass(frozen=True)
class Counts:
    """How much was written or restored; ``missing`` blobs were deleted during the backup."""

    tables: int
    blobs: int
    missing: int = 0


def write_backup(path: Path) -> Counts:
    """Write a backup; raises StartupError when the file, database or storage fails."""
    with _translate_errors(), ArchiveWriter(path) as archive:
        tables = _add_database(archive, blobs=True)
        # Blobs are stored before the rows that refer to them, so all of them exist by now.
        blobs, missing = add_blobs(archive, blob_store())
    return Counts(tables, blobs, missing)


def write_database_backup(path: Path) -> Counts:
    """Write a backup of the tables alone; raises StartupError as ``write_backup`` does."""
    with _translate_errors(), ArchiveWriter(path) as archive:
        return Counts(_add_database(archive, blobs=False), 0)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (psycopg.Error, UnavailableError) as error:
        raise StartupError(f"The backup was not written. {error}") from error
    except OSError as error:
        raise StartupError(f"The backup was not written: {error.strerror or error}.") from error


def _add_database(archive: ArchiveWriter, *, blobs: bool) -> int:
    """Add the manifest and all tables; return their number."""
    with _open_snapshot() as server:
        manifest = _make_manifest(server, blobs=blobs)
        archive.add_json(MANIFEST, asdict(manifest))
        for table, columns in manifest.tables.items():
            _add_table(archive, server, table, columns)
    return len(manifest.tables)


def newest_migrations(
    graph: MigrationGraph, nodes: Collection[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return those of ``nodes`` on which none of the others depends."""
    return [
        node
        for node in nodes
        if not any(child.key in nodes for child in graph.node_map[node].children)
    ]


def list_own_tables() -> list[str]:
    """List the tables that belong to Visual Review; a database may have others.

    They are those of the version that last migrated the database, which may be an older one.
    """
    loader = MigrationLoader(connection)
    applied = loader.applied_migrations.keys() & loader.graph.nodes.keys()
    newest = newest_migrations(loader.graph, applied)
    state = loader.graph.make_state(newest, real_apps=loader.unmigrated_apps)
    models = state.apps.get_models(include_auto_created=True)
    options = [model._meta for model in models]  # noqa: SLF001 - Public in Django's documentation.
    ours = {each.db_table for each in options if each.managed}
    existing = connection.introspection.table_names()
    return sorted(name for name in existing if name in ours or name.startswith(QUEUE_TABLES))


def _open_snapshot() -> Connection:
    server = psycopg.connect(os.environ[DATABASE_URL])
    server.isolation_level = IsolationLevel.REPEATABLE_READ
    server.read_only = True
    return server


def _make_manifest(server: Connection, *, blobs: bool) -> Manifest:
    columns: dict[str, list[str]] = dict(server.execute(COLUMNS).fetchall())
    sequences: dict[str, int] = dict(server.execute(SEQUENCES).fetchall())
    tables = _sort_by_references(server, set(list_own_tables()))
    return Manifest(
        format=FORMAT,
        program=version("visual-review"),
        created=rfc3339(now()),
        migrations=sorted([app, name] for app, name in _list_applied_migrations(server)),
        tables={name: columns[name] for name in tables},
        sequences=sequences,
        blobs=blobs,
    )


def _sort_by_references(server: Connection, tables: set[str]) -> list[str]:
    """Return the tables, each after the tables it refers to."""
    order = TopologicalSorter({table: set[str]() for table in sorted(tables)})
    for child, parent in server.execute(REFERENCES).fetchall():
        if child in tables and parent in tables:
            order.add(child, parent)
    return list(order.static_order())


def _list_applied_migrations(server: Connection) -> list[tuple[str, ...]]:
    return server.execute("SELECT app, name FROM django_migrations").fetchall()


def _add_table(
    archive: ArchiveWriter,
    server: Connection,
    table: str,
    columns: list[str],
) -> None:
    with TemporaryFile(dir=archive.path.parent) as file:
        with (
            gzip.GzipFile(fileobj=file, mode="wb", compresslevel=3, mtime=0) as packed,
            server.cursor() as cursor,
            cursor.copy(make_copy_statement(table, columns, "TO STDOUT")) as rows,
        ):
            for part in rows:
                packed.write(part)
        size = file.tell()
        file.seek(0)
        archive.add(f"{TABLES}{table}.copy.gz", file, size)


def make_copy_statement(table: str, columns: list[str], direction: LiteralString) -> sql.Composed:
    return sql.SQL("COPY {} ({}) {}").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns)), sql.SQL(direction)
    )


def add_blobs(archive: ArchiveWriter, store: BlobStore) -> tuple[int, int]:
    """Add the blobs to keep; returns how many, and how many were deleted meanwhile."""
    added = missing = 0
    for key in store.keys():  # noqa: SIM118 - No dictionary.
        if key.startswith(TEMPORARY_PREFIXES):
            continue
        try:
            _add_blob(archive, store, key)
        except BlobMissingError:
            missing += 1
            continue
        added += 1
    return added, missing


def _add_blob(archive: ArchiveWriter, store: BlobStore, key: str) -> None:
    # A video is too large for memory, and the archive needs the size before the bytes.
    with SpooledTemporaryFile(
        max_size=IN_MEMORY_BYTES, mode="w+b", dir=str(archive.path.parent)
    ) as file:
        size = sum(len(piece) for piece in get_to_file(store, key, file))
        file.seek(0)
        archive.add(f"{BLOBS}{key}", file, size)
