"""Write a backup: a dump of the database, then all blobs. The service may run meanwhile."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Any, Final, cast

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from visual_review.builds.images.blob_keys import image_key_of
from visual_review.config.commands.backup_archive import (
    BLOBS,
    CHUNK_BYTES,
    DATABASE,
    FORMAT,
    MANIFEST,
    ArchiveWriter,
)
from visual_review.config.environment import DATABASE_URL, StartupError
from visual_review.config.standalone.postgres_programs import find_client
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import UnavailableError
from visual_review.recordings.blob_files import get_to_file

IMAGES: Final = "images/"
# Of a million keys, one is mistaken for another with a probability of about 1 in 40 million.
DIGEST_BYTES: Final = 8
ROWS_AT_ONCE: Final = 10_000
_ALL: Final = "SELECT organization_id, sha256 FROM builds_image ORDER BY id"
_ONE: Final = "SELECT 1 FROM builds_image WHERE organization_id = %s AND sha256 = %s"
# Unverified uploads, the service's own probes, and rendered images, which can be rendered again.
TEMPORARY_PREFIXES: Final = ("incoming/", "probe/", "drawn/")
# Most images are smaller and need no temporary file.
IN_MEMORY_BYTES: Final = 8 * 1024 * 1024
REPORT_EVERY: Final = 1000
Report = Callable[[str], None]


class StoredImages:
    """The keys of found images, in few bytes each: there may be millions."""

    def __init__(self) -> None:
        self._digests: set[bytes] = set()

    def add(self, key: str) -> None:
        if key.startswith(IMAGES):
            self._digests.add(_digest(key))

    def __contains__(self, key: str) -> bool:
        return _digest(key) in self._digests


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=DIGEST_BYTES).digest()


def find_missing_images(store: BlobStore, found: StoredImages) -> list[str]:
    """Return the keys of images with a row that are neither in ``found`` nor in the storage.

    Images stored or deleted during the listing of the storage are not missing.
    """
    with psycopg.connect(os.environ[DATABASE_URL]) as database:
        candidates = [row for row in _read_rows(database) if image_key_of(*row) not in found]
        return [image_key_of(*row) for row in candidates if _is_missing(store, database, row)]


def _read_rows(database: psycopg.Connection) -> Iterator[tuple[str, str]]:
    with database.cursor(name="images") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        rows: Iterable[tuple[str, str]] = cursor.execute(_ALL)
        yield from rows


def _is_missing(store: BlobStore, database: psycopg.Connection, row: tuple[str, str]) -> bool:
    if store.size(image_key_of(*row)) is not None:
        return False
    # The row is deleted before the file, so a remaining row refers to nothing.
    return database.execute(_ONE, row).fetchone() is not None


@dataclass(frozen=True)
class Manifest:
    """The contents of a backup and the version that wrote the backup.

    Without images, ``blobs`` is false.
    """

    format: int
    program: str
    created: str
    migrations: list[tuple[str, ...]]
    blobs: bool


@dataclass(frozen=True)
class Counts:
    """How many blobs were written or restored; ``missing`` ones were deleted meanwhile.

    ``lost`` are keys of images that rows refer to and the storage lacks.
    """

    blobs: int = 0
    missing: int = 0
    lost: Sequence[str] = ()


def write_backup(path: Path, report: Report) -> Counts:
    """Write a backup; raises StartupError when the file, database or storage fails."""
    with _translate_errors(), ArchiveWriter(path) as archive:
        report("Writing the database.")
        _add_database(archive, blobs=True)
        # Blobs are stored before the rows that refer to them, so the dump's blobs exist by now.
        store, images = blob_store(), StoredImages()
        counts = add_blobs(archive, store, report, images)
        archive.lost = find_missing_images(store, images)
        return replace(counts, lost=archive.lost)


def write_database_backup(path: Path) -> None:
    """Write a backup of the database alone; raises StartupError as ``write_backup`` does."""
    with _translate_errors(), ArchiveWriter(path) as archive:
        _add_database(archive, blobs=False)


@contextmanager
def _translate_errors() -> Iterator[None]:
    try:
        yield
    except (psycopg.Error, UnavailableError) as error:
        raise StartupError(f"The backup was not written. {error}") from error
    except OSError as error:
        raise StartupError(f"The backup was not written: {error.strerror or error}.") from error


def _add_database(archive: ArchiveWriter, *, blobs: bool) -> None:
    with psycopg.connect(os.environ[DATABASE_URL]) as server:
        program = find_client("pg_dump", server.info.server_version)
        migrations = server.execute("SELECT app, name FROM django_migrations").fetchall()
    manifest = Manifest(
        FORMAT, version("visual-review"), rfc3339(now()), sorted(migrations), blobs=blobs
    )
    archive.add_json(MANIFEST, asdict(manifest))
    # The archive needs the size before the bytes.
    with TemporaryFile(dir=archive.path.parent) as file:
        command = [str(program), "--format=custom", "--no-owner", "--no-privileges"]
        error = run_client(command, target=file)
        if error:
            raise StartupError(f"The backup was not written: {error}")
        archive.add(DATABASE, file)


def run_client(
    command: list[str], source: IO[bytes] | None = None, target: IO[bytes] | None = None
) -> str:
    """Run a program of PostgreSQL on the database; return the error output if the program fails."""
    parameters: dict[str, Any] = dict(conninfo_to_dict(os.environ[DATABASE_URL]))
    # Other users of the machine see the arguments of a program, but not the environment.
    password = str(parameters.pop("password", None) or "")
    with (
        TemporaryFile() as errors,
        subprocess.Popen(  # noqa: S603 - PostgreSQL's program.
            [*command, f"--dbname={make_conninfo(**parameters)}"],
            env={**os.environ, **({"PGPASSWORD": password} if password else {}), "LC_ALL": "C"},
            stdin=subprocess.PIPE,
            stdout=target,
            stderr=errors,
        ) as program,
    ):
        # A failed program reads no further.
        with suppress(BrokenPipeError), cast("IO[bytes]", program.stdin) as stream:
            shutil.copyfileobj(source or BytesIO(), stream, CHUNK_BYTES)
        code = program.wait()
        errors.seek(0)
        message = errors.read().decode(errors="replace").strip()
    return (message or f"{command[0]} failed.") if code else ""


def add_blobs(
    archive: ArchiveWriter, store: BlobStore, report: Report, images: StoredImages
) -> Counts:
    """Add the blobs to keep, and note the images among them."""
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
        images.add(key)
        if added % REPORT_EVERY == 0:
            report(f"Wrote {added:,} files.")
    return Counts(added, missing)


def _add_blob(archive: ArchiveWriter, store: BlobStore, key: str) -> None:
    # A video is too large for memory.
    with SpooledTemporaryFile(
        max_size=IN_MEMORY_BYTES, mode="w+b", dir=str(archive.path.parent)
    ) as file:
        for _ in get_to_file(store, key, file):
            pass
        archive.add(f"{BLOBS}{key}", file)
