"""Fetches blobs from remote storage on the event loop: no thread waits for the storage."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, Final

import obstore
from obstore.exceptions import BaseError

from visual_review.config.http.spool import IN_MEMORY_BYTES, Spool, write_part
from visual_review.kernel.blobs import BlobMissingError, BlobStore, storage_error

# At once, in this process. Each fetch has a part of a file in memory.
FETCHES: Final = 32
PART_BYTES: Final = 256 * 1024
# Includes the wait for other fetches. A browser waiting for longer is not going to show the image.
FETCH_SECONDS: Final = 25.0
DISK_FULL: Final = "The service's disk could not hold the image for you. Try again later."


@dataclass(frozen=True)
class FetchedBlob:
    """A complete blob in ``file``, kept in memory by the spool if small."""

    file: IO[bytes]
    size: int
    on_disk: bool


class RemoteBlobs:
    """Blobs in temporary files: the storage and the client are each served at their own speed."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._slots = asyncio.Semaphore(FETCHES)

    async def fetch(self, blobs: BlobStore, key: str, resources: ExitStack) -> FetchedBlob:
        """Return a blob, whose place on the disk is reserved until ``resources`` end.

        Raises BlobMissingError, UnavailableError or StorageFullError.
        """
        try:
            async with asyncio.timeout(FETCH_SECONDS), self._slots:
                return await self._fetch(blobs, key, resources)
        except FileNotFoundError as error:
            raise BlobMissingError(key) from error
        except (BaseError, TimeoutError) as error:
            raise storage_error("read", key) from error

    async def _fetch(self, blobs: BlobStore, key: str, resources: ExitStack) -> FetchedBlob:
        found = await obstore.get_async(blobs.store, key)
        size = found.meta["size"]
        resources.enter_context(self._spool.reserve(size, signed=True))
        file = resources.enter_context(self._spool.open())
        async for part in found.stream(min_chunk_size=PART_BYTES):
            await write_part(file, bytes(part), size, DISK_FULL)
        file.flush()
        return FetchedBlob(file, size, on_disk=size > IN_MEMORY_BYTES)
