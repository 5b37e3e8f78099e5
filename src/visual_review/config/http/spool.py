"""Temporary files for bodies of requests and responses, without filling up the disk."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Final

from visual_review.kernel.blobs import MINIMUM_FREE_BYTES
from visual_review.kernel.errors import StorageFullError, UnavailableError

FOLDER: Final = "bodies"
IN_MEMORY_BYTES: Final = 128 * 1024
# All bodies together of callers who have not proven anything yet.
MAX_UNSIGNED_BYTES: Final = 512 * 1024 * 1024


class Spool:
    """A folder of unnamed files, which disappear with the process."""

    def __init__(self, parent: str) -> None:
        """Use a folder in ``parent``; if empty, the system's folder for temporary files."""
        self._folder = Path(parent) / FOLDER if parent else Path(gettempdir())
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._reserved = 0
        self._unsigned = 0

    def open(self) -> "SpooledTemporaryFile[bytes]":
        """Return a file kept in memory up to IN_MEMORY_BYTES."""
        return SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=str(self._folder))

    @contextmanager
    def reserve(self, size: int, *, signed: bool) -> Iterator[None]:
        """Reserve ``size`` bytes of the disk until the block ends.

        ``signed``: the caller has a signed URL. Raises StorageFullError if the bytes would fill the
        disk, UnavailableError if the bodies of unknown callers take too much already.
        """
        if size <= IN_MEMORY_BYTES:
            yield
            return
        self._check(size, signed=signed)
        unsigned = 0 if signed else size
        self._reserved += size
        self._unsigned += unsigned
        try:
            yield
        finally:
            self._reserved -= size
            self._unsigned -= unsigned

    def _check(self, size: int, *, signed: bool) -> None:
        if not signed and self._unsigned + size > MAX_UNSIGNED_BYTES:
            raise UnavailableError(
                "The service is receiving too many large requests. Nothing was read; try again."
            )
        free = shutil.disk_usage(self._folder).free
        if free < self._reserved + size + MINIMUM_FREE_BYTES:
            raise StorageFullError(
                "The service's disk is almost full, so it cannot receive this request. Nothing "
                "was read. Its operator must free some space."
            )


async def write_part(file: IO[bytes], part: bytes, size: int, full_message: str) -> None:
    """Write a part of a body; with the part, the body has ``size`` bytes.

    Raises StorageFullError with ``full_message`` if the disk cannot store the part.
    """
    if size <= IN_MEMORY_BYTES:
        file.write(part)
        return
    try:
        # A busy disk must not stop the event loop.
        await asyncio.to_thread(file.write, part)
    except OSError as error:
        raise StorageFullError(full_message) from error
