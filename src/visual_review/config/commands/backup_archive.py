"""The file format of a backup: a tar archive with the hash of each member's bytes.

The members are ``manifest.json``, ``database.dump`` (as ``pg_dump --format=custom`` writes it), the
blobs, and ``complete.json`` with the number of members.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from visual_review.config.environment import StartupError

FORMAT: Final = 2
MANIFEST: Final = "manifest.json"
DATABASE: Final = "database.dump"
BLOBS: Final = "blobs/"
COMPLETE: Final = "complete.json"
HASH: Final = "VISUALREVIEW.sha256"
CHUNK_BYTES: Final = 1024 * 1024
SHOWN_LOST: Final = 10


class ArchiveError(StartupError):
    """The file is damaged or not a backup."""


class ArchiveWriter:
    """Writes to a temporary name and renames at the end: ``path`` is always complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._partial = path.with_name(f"{path.name}.partial")
        self._members = 0
        # Keys of images that the database refers to and the storage lacks.
        self.lost: Sequence[str] = ()

    def __enter__(self) -> Self:
        if self.path.exists():
            raise ArchiveError(f"{self.path} already exists. Choose another file.")
        try:
            self._tar = tarfile.open(self._partial, "w", format=tarfile.PAX_FORMAT)
        except OSError as error:
            raise ArchiveError(f"Cannot write {self._partial}: {error.strerror}.") from error
        # The archive contains password hashes and private images.
        self._partial.chmod(0o600)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._finish(complete=kind is None)
        except OSError:
            self._partial.unlink(missing_ok=True)
            raise

    def _finish(self, *, complete: bool) -> None:
        if complete:
            self.add_json(COMPLETE, {"members": self._members, **self._describe_lost()})
        self._tar.close()
        if not complete:
            self._partial.unlink(missing_ok=True)
            return
        # An upgrade relies on the backup, even if the power fails right after.
        with self._partial.open("rb") as file:
            os.fsync(file.fileno())
        self._partial.rename(self.path)

    def _describe_lost(self) -> dict[str, object]:
        if not self.lost:
            return {}
        return {"lost": len(self.lost), "such_as": list(self.lost[:SHOWN_LOST])}

    def add(self, name: str, file: IO[bytes]) -> None:
        """Add all of an open file, regardless of the file's position."""
        member = tarfile.TarInfo(name)
        member.size = file.seek(0, os.SEEK_END)
        member.mode = 0o600
        file.seek(0)
        member.pax_headers = {HASH: _hash(file)}
        file.seek(0)
        self._tar.addfile(member, file)
        # The tar would keep an entry in memory for each of possibly millions of members.
        self._tar.members = []  # type: ignore[attr-defined]
        self._members += 1

    def add_json(self, name: str, value: object) -> None:
        self.add(name, io.BytesIO(json.dumps(value).encode()))


def _hash(file: IO[bytes]) -> str:
    total = hashlib.sha256()
    while data := file.read(CHUNK_BYTES):
        total.update(data)
    return total.hexdigest()


def read_members(path: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """Yield each member with its contents; raises ArchiveError for a file other than a tar."""
    with _translate_errors(path), tarfile.open(path, "r|") as tar:
        for member in tar:
            stream = tar.extractfile(member)
            if stream is None:
                raise ArchiveError(f"{path} contains '{member.name}', which is not a file.")
            yield member, stream
            tar.members = []  # type: ignore[attr-defined]


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (tarfile.TarError, EOFError) as error:
        raise ArchiveError(f"{path} is not a backup, or it is damaged: {error}.") from error
    except OSError as error:
        raise ArchiveError(f"Cannot read {path}: {error.strerror or error}.") from error


def verify_archive(path: Path) -> dict[str, Any]:
    """Read the whole file and return its manifest; raises ArchiveError for a damaged file.

    If the storage lacked images, ``lost`` is their number, and ``such_as`` has the first keys.
    """
    documents: dict[str, dict[str, Any]] = {}
    members = 0
    # In a file truncated within a member, reading the member fails.
    with _translate_errors(path):
        for member, stream in read_members(path):
            if member.name in {MANIFEST, COMPLETE}:
                data = stream.read()
                found = hashlib.sha256(data).hexdigest()
                documents[member.name] = _parse_object(path, member.name, data)
            else:
                found = _hash(stream)
            if found != member.pax_headers.get(HASH):
                raise _damaged(path, f"the hash of '{member.name}' is another one")
            members += 1
    complete = documents.get(COMPLETE, {})
    if MANIFEST not in documents or complete.pop("members", None) != members - 1:
        raise _damaged(path, "its end is missing")
    return documents[MANIFEST] | complete


def _damaged(path: Path, reason: str) -> ArchiveError:
    return ArchiveError(
        f"{path} is damaged or incomplete: {reason}. Nothing was restored; use another backup."
    )


def _parse_object(path: Path, name: str, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError as error:
        raise _damaged(path, f"'{name}' in it is not valid JSON") from error
    if not isinstance(value, dict):
        raise _damaged(path, f"'{name}' in it is not a JSON object")
    return value
