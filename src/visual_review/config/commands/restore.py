"""Restores a backup into an empty database and an empty storage, or into nothing at all."""

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
    PASSING_PREFIXES,
    Connection,
    Counts,
    copy_statement,
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
from visual_review.kernel.blob_files import put_pieces
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.errors import UnavailableError
from visual_review.recordings.keys import STORED as RECORDINGS
from visual_review.recordings.keys import content_type_of

ANY_TABLE = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"


def _refuse_newer(path: Path, manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT or _unknown(manifest):
        raise StartupError(
            f"{path} was written by Visual Review {manifest.get('program')}, which is newer than "
            f"this one ({version('visual-review')}). Restore it with that version or a later one."
        )


def _unknown(manifest: dict[str, Any]) -> list[str]:
    known = MigrationLoader(None).disk_migrations
    return [name for app, name in manifest["migrations"] if (app, name) not in known]


def restore_backup(path: Path, manifest: dict[str, Any]) -> Counts:
    """Restore what ``verify`` found whole; raises StartupError, and never touches older data."""
    _refuse_newer(path, manifest)
    store = blob_store()
    try:
        _refuse_existing(store)
        _make_schema(manifest)
        _load_tables(path, manifest)
        blobs = load_blobs(path, store)
        call_command("migrate", interactive=False, verbosity=0)
    except (psycopg.Error, UnavailableError, OSError) as error:
        raise StartupError(
            f"The restore ended halfway: {error} Make the database and the storage empty before "
            "you run it again."
        ) from error
    finally:
        connection.close()
    return Counts(len(manifest["tables"]), blobs)


def _refuse_existing(store: BlobStore) -> None:
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        found = server.execute(ANY_TABLE).fetchone()
    if found is not None:
        raise StartupError(
            f"The database is not empty: it holds the table '{found[0]}'. A restore never "
            "overwrites; name an empty database or a new data folder."
        )
    for key in store.keys():  # noqa: SIM118 - No dictionary.
        if not key.startswith(PASSING_PREFIXES):
            raise StartupError(
                f"The storage is not empty: it holds '{key}'. A restore never overwrites; name an "
                "empty folder, bucket or prefix."
            )


def _make_schema(manifest: dict[str, Any]) -> None:
    """Bring the empty database to the very version the backup was taken at."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    nodes = {(app, name) for app, name in manifest["migrations"]}
    leaves = [
        node
        for node in nodes
        if not any(child.key in nodes for child in graph.node_map[node].children)
    ]
    executor.migrate(leaves)


def _load_tables(path: Path, manifest: dict[str, Any]) -> None:
    """All tables in one transaction; the archive holds them in an order that references allow."""
    tables: dict[str, list[str]] = manifest["tables"]
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        # Migrations fill some tables themselves, and the queue's triggers would add rows.
        names = sql.SQL(", ").join(map(sql.Identifier, tables))
        server.execute(sql.SQL("TRUNCATE {}").format(names))
        _switch_triggers(server, tables, "DISABLE")
        for name, stream in read_members(path):
            if name.startswith(TABLES):
                table = name.removeprefix(TABLES).removesuffix(".copy.gz")
                _fill(server, table, tables[table], stream)
        for sequence, value in manifest["sequences"].items():
            server.execute("SELECT setval(%s::regclass, %s)", [f'"{sequence}"', value])
        # Triggers cannot be switched while checks of references wait for the end.
        server.execute("SET CONSTRAINTS ALL IMMEDIATE")
        _switch_triggers(server, tables, "ENABLE")


def _switch_triggers(server: Connection, tables: Iterable[str], to: LiteralString) -> None:
    for table in tables:
        statement = sql.SQL("ALTER TABLE {} {} TRIGGER USER")
        server.execute(statement.format(sql.Identifier(table), sql.SQL(to)))


def _fill(server: Connection, table: str, columns: list[str], stream: IO[bytes]) -> None:
    with (
        gzip.GzipFile(fileobj=stream) as rows,
        server.cursor() as cursor,
        cursor.copy(copy_statement(table, columns, "FROM STDIN")) as target,
    ):
        while data := rows.read(CHUNK_BYTES):
            target.write(data)


def load_blobs(path: Path, store: BlobStore) -> int:
    """Store every file the archive holds; answers how many."""
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
