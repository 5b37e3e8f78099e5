"""The file format of a backup: a tar archive that ends with a digest, to detect damage.

Members come in a fixed order: ``manifest.json``, tables, blobs, ``complete.json``.
"""

import hashlib
import io
import json
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from visual_review.config.errors import StartupError

FORMAT = 1
MANIFEST = "manifest.json"
COMPLETE = "complete.json"
TABLES = "tables/"
BLOBS = "blobs/"
CHUNK_BYTES = 1024 * 1024


class ArchiveError(StartupError):
    """The file is not a backup, or it is damaged."""


class _Digest:
    """A running digest over the names and contents of all members."""

    def __init__(self) -> None:
        self.members = 0
        self._sum = hashlib.sha256()

    def add(self, name: str, content: str) -> None:
        self.members += 1
        self._sum.update(f"{name}\0{content}\n".encode())

    def result(self) -> dict[str, object]:
        return {"members": self.members, "digest": self._sum.hexdigest()}


class ArchiveWriter:
    """Writes to a temporary name and renames at the end: ``path`` is always complete."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._partial = path.with_name(f"{path.name}.partial")
        self._digest = _Digest()

    def __enter__(self) -> Self:
        if self.path.exists():
            raise ArchiveError(f"{self.path} already exists. Choose another file.")
        try:
            self._tar = tarfile.open(self._partial, "w")
        except OSError as error:
            raise ArchiveError(f"Cannot write {self._partial}: {error.strerror}.") from error
        # It contains password hashes and private images.
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
            self.add_json(COMPLETE, self._digest.result())
        self._tar.close()
        if not complete:
            self._partial.unlink(missing_ok=True)
            return
        # An upgrade relies on it, even if the power fails right after.
        with self._partial.open("rb") as file:
            os.fsync(file.fileno())
        self._partial.rename(self.path)

    def add(self, name: str, stream: IO[bytes], size: int) -> None:
        member = tarfile.TarInfo(name)
        member.size = size
        member.mode = 0o600
        reader = _HashingReader(stream)
        self._tar.addfile(member, reader)
        # The tar would keep an entry in memory for each of possibly millions of members.
        self._tar.members = []  # type: ignore[attr-defined]
        self._digest.add(name, reader.hexdigest())

    def add_json(self, name: str, value: object) -> None:
        data = json.dumps(value).encode()
        self.add(name, io.BytesIO(data), len(data))


class _HashingReader(io.RawIOBase):
    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._sum = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._sum.update(data)
        return data

    def hexdigest(self) -> str:
        return self._sum.hexdigest()


def read_members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the name and contents of each member; raises ArchiveError if it is not a tar."""
    with _translate_errors(path), tarfile.open(path, "r|") as tar:
        for member in tar:
            stream = tar.extractfile(member)
            if stream is None:
                raise ArchiveError(f"{path} contains '{member.name}', which is not a file.")
            yield member.name, stream
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
    """Read the whole file and return its manifest; raises ArchiveError if it is damaged."""
    # A file that is truncated within a member fails when that member is read.
    with _translate_errors(path):
        return _read_and_verify(path)


def _read_and_verify(path: Path) -> dict[str, Any]:
    digest = _Digest()
    manifest: dict[str, Any] = {}
    end: dict[str, Any] = {}
    for name, stream in read_members(path):
        if name == COMPLETE:
            end = _parse_object(path, name, stream.read())
        elif name == MANIFEST:
            data = stream.read()
            manifest = _parse_object(path, name, data)
            digest.add(name, hashlib.sha256(data).hexdigest())
        else:
            digest.add(name, _hash_stream(stream))
    if not manifest or end != digest.result():
        raise ArchiveError(
            f"{path} is damaged or incomplete: its contents do not match its digest. Nothing was "
            "restored; use another backup."
        )
    return manifest


def _hash_stream(stream: IO[bytes]) -> str:
    total = hashlib.sha256()
    while data := stream.read(CHUNK_BYTES):
        total.update(data)
    return total.hexdigest()


def _parse_object(path: Path, name: str, data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError as error:
        raise ArchiveError(f"{path} is damaged: '{name}' in it is not valid JSON.") from error
    if not isinstance(value, dict):
        raise ArchiveError(f"{path} is damaged: '{name}' in it is not a JSON object.")
    return value
