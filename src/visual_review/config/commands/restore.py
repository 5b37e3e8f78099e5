"""Restores a backup into an empty database and storage, or into a new data folder."""

import os
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

import psycopg
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader

from visual_review.config.commands.backup import (
    REPORT_EVERY,
    TEMPORARY_PREFIXES,
    Counts,
    Report,
    run_client,
)
from visual_review.config.commands.backup_archive import (
    BLOBS,
    CHUNK_BYTES,
    DATABASE,
    FORMAT,
    read_members,
)
from visual_review.config.environment import DATABASE_URL, StartupError
from visual_review.config.standalone.postgres_programs import find_client
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.errors import UnavailableError
from visual_review.recordings.blob_files import put_pieces
from visual_review.recordings.blob_keys import STORED as RECORDINGS
from visual_review.recordings.blob_keys import content_type_of

ANY_TABLE = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LIMIT 1"
EMPTY = "Empty the storage and the database before you run the command again."


def restore_backup(path: Path, manifest: dict[str, Any], report: Report) -> Counts:
    """Restore a verified archive; raises StartupError, and never overwrites data.

    The database comes last and in one transaction: rows never refer to images not yet restored.
    """
    _check_version(path, manifest)
    store = blob_store()
    try:
        program = find_client("pg_restore", _check_database_is_empty())
        if manifest["blobs"]:
            _check_storage_is_empty(store)
    except (psycopg.Error, UnavailableError, OSError) as error:
        raise StartupError(f"Nothing was restored: {error}") from error
    try:
        blobs = load_blobs(path, store, report)
        report("Restoring the database.")
        _load_database(path, program)
        call_command("migrate", interactive=False, verbosity=0)
        # A dump has no statistics; the first queries of a large service would be planned without.
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    except (DatabaseError, UnavailableError, OSError) as error:
        raise StartupError(f"The restore failed: {error} {EMPTY}") from error
    finally:
        connection.close()
    return Counts(blobs)


def _check_version(path: Path, manifest: dict[str, Any]) -> None:
    if manifest.get("format") != FORMAT:
        raise StartupError(
            f"{path} was written by Visual Review {manifest.get('program')} in another format. "
            "Restore it with that version."
        )
    known = MigrationLoader(None).disk_migrations
    if any((app, name) not in known for app, name in manifest["migrations"]):
        raise StartupError(
            f"{path} was written by Visual Review {manifest.get('program')}, which is newer than "
            f"this one ({version('visual-review')}). Restore it with that version or a later one."
        )


def _check_database_is_empty() -> int:
    """Return the version of the server."""
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        found = server.execute(ANY_TABLE).fetchone()
        if found is None:
            return server.info.server_version
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


def _load_database(path: Path, program: Path) -> None:
    command = [str(program), "--single-transaction", "--no-owner", "--no-privileges"]
    for member, stream in read_members(path):
        if member.name == DATABASE:
            if error := run_client(command, source=stream):
                raise StartupError(f"The database was not restored: {error} {EMPTY}")
            return


def load_blobs(path: Path, store: BlobStore, report: Report) -> int:
    """Store all blobs of the archive; returns how many."""
    blobs = 0
    for member, stream in read_members(path):
        if member.name.startswith(BLOBS):
            _load_blob(store, member.name.removeprefix(BLOBS), stream)
            blobs += 1
            if blobs % REPORT_EVERY == 0:
                report(f"Restored {blobs:,} files.")
    return blobs


def _load_blob(store: BlobStore, key: str, stream: IO[bytes]) -> None:
    if key.startswith(f"{RECORDINGS}/"):
        # Videos are too large for memory.
        pieces = iter(lambda: stream.read(CHUNK_BYTES), b"")
        put_pieces(store, key, pieces, content_type_of(key))
    else:
        store.put(key, stream.read())
