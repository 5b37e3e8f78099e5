"""Restores a backup into an empty database and storage, or into a new data folder."""

import gzip
import os
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, LiteralString

import psycopg
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from psycopg import sql

from visual_review.config.commands.backup import (
    TEMPORARY_PREFIXES,
    Connection,
    Counts,
    make_copy_statement,
    newest_migrations,
)
from visual_review.config.commands.backup_archive import (
    BLOBS,
    CHUNK_BYTES,
    FORMAT,
    TABLES,
    read_members,
)
from visual_review.config.environment import DATABASE_URL
from visual_review.config.errors import StartupError
from visual_review.config.schema_version import migration_lock
from visual_review.kernel.blob_files import put_pieces
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.errors import UnavailableError
from visual_review.recordings.keys import STORED as RECORDINGS
from visual_review.recordings.keys import content_type_of

ANY_TABLE = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"


def _check_version(path: Path, manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT or _list_unknown_migrations(manifest):
        raise StartupError(
            f"{path} was written by Visual Review {manifest.get('program')}, which is newer than "
            f"this one ({version('visual-review')}). Restore it with that version or a later one."
        )


def _list_unknown_migrations(manifest: dict[str, Any]) -> list[str]:
    known = MigrationLoader(None).disk_migrations
    return [name for app, name in manifest["migrations"] if (app, name) not in known]


def restore_backup(path: Path, manifest: dict[str, Any]) -> Counts:
    """Restore a verified archive; raises StartupError, and never overwrites data."""
    _check_version(path, manifest)
    store = blob_store()
    try:
        _check_database_is_empty()
        if manifest.get("blobs", True):
            _check_storage_is_empty(store)
        _make_schema(manifest)
        _load_tables(path, manifest)
        blobs = load_blobs(path, store)
        call_command("migrate", interactive=False, verbosity=0)
    except (psycopg.Error, UnavailableError, OSError) as error:
        raise StartupError(
            f"The restore failed before it was complete: {error} Empty the database and the "
            "storage before you run it again."
        ) from error
    finally:
        connection.close()
    return Counts(len(manifest["tables"]), blobs)


def _check_database_is_empty() -> None:
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        found = server.execute(ANY_TABLE).fetchone()
    if found is not None:
        raise StartupError(
            f"The database is not empty: it has the table '{found[0]}'. A restore never overwrites "
            "data; choose an empty database or a new data folder."
        )


def _check_storage_is_empty(store: BlobStore) -> None:
    for key in store.keys():  # noqa: SIM118 - No dictionary.
        if not key.startswith(TEMPORARY_PREFIXES):
            raise StartupError(
                f"The storage is not empty: it has '{key}'. A restore never overwrites data; "
                "choose an empty folder, bucket or prefix."
            )


def _make_schema(manifest: dict[str, Any]) -> None:
    """Migrate the empty database to exactly the version of the backup."""
    migrations = {(app, name) for app, name in manifest["migrations"]}
    with migration_lock():
        executor = MigrationExecutor(connection)
        executor.migrate(newest_migrations(executor.loader.graph, migrations))


def _load_tables(path: Path, manifest: dict[str, Any]) -> None:
    """Load all tables in one transaction, in the archive's order, which satisfies references."""
    tables: dict[str, list[str]] = manifest["tables"]
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        # Migrations fill some tables themselves, and the queue's triggers would add rows.
        names = sql.SQL(", ").join(map(sql.Identifier, tables))
        server.execute(sql.SQL("TRUNCATE {}").format(names))
        _switch_triggers(server, tables, "DISABLE")
        for name, stream in read_members(path):
            if name.startswith(TABLES):
                table = name.removeprefix(TABLES).removesuffix(".copy.gz")
                _load_table(server, table, tables[table], stream)
        for sequence, value in manifest["sequences"].items():
            server.execute("SELECT setval(%s::regclass, %s)", [f'"{sequence}"', value])
        # Triggers cannot be enabled while deferred constraints are pending.
        server.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _switch_triggers(server, tables, "ENABLE")


def _switch_triggers(server: Connection, tables: Iterable[str], to: LiteralString) -> None:
    for table in tables:
        statement = sql.SQL("ALTER TABLE {} {} TRIGGER USER")
        server.execute(statement.format(sql.Identifier(table), sql.SQL(to)))


def _load_table(server: Connection, table: str, columns: list[str], stream: IO[bytes]) -> None:
    with (
        gzip.GzipFile(fileobj=stream) as rows,
        server.cursor() as cursor,
        cursor.copy(make_copy_statement(table, columns, "FROM STDIN")) as target,
    ):
        while data := rows.read(CHUNK_BYTES):
            target.write(data)


def load_blobs(path: Path, store: BlobStore) -> int:
    """Store all blobs of the archive; returns how many."""
    blobs = 0
    for name, stream in read_members(path):
        if name.startswith(BLOBS):
            _load_blob(store, name.removeprefix(BLOBS), stream)
            blobs += 1
    return blobs


def _load_blob(store: BlobStore, key: str, stream: IO[bytes]) -> None:
    if key.startswith(f"{RECORDINGS}/"):
        # Videos are too large for memory.
        pieces = iter(lambda: stream.read(CHUNK_BYTES), b"")
        put_pieces(store, key, pieces, content_type_of(key))
    else:
        store.put(key, stream.read())
