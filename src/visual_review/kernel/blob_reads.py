"""Read many small blobs at once, within a time that a page can wait."""

import logging
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from typing import Final

from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.errors import UnavailableError

# Of this process, for all callers: remote storage has a high latency, and takes many at once.
CONNECTIONS: Final = 24
WAIT_SECONDS: Final = 4.0

logger = logging.getLogger(__name__)


def read_small_blobs(blobs: BlobStore, keys: Sequence[str]) -> dict[str, bytes]:
    """Return the bytes by key; those that are missing or come too late are left out."""
    if blobs.folder is not None:
        # From a disk of this machine, threads would make it slower.
        found = {key: _read(blobs, key) for key in keys}
    else:
        found = _read_at_once(blobs, keys, WAIT_SECONDS)
    return {key: data for key, data in found.items() if data is not None}


def _read_at_once(
    blobs: BlobStore, keys: Sequence[str], wait_seconds: float
) -> dict[str, bytes | None]:
    deadline = time.monotonic() + wait_seconds
    reads: dict[str, Future[bytes | None]] = {
        key: _pool().submit(_read_before, deadline, blobs, key) for key in keys
    }
    wait(reads.values(), timeout=wait_seconds)
    return {key: read.result() if read.done() else None for key, read in reads.items()}


def _read_before(deadline: float, blobs: BlobStore, key: str) -> bytes | None:
    # The caller has gone on without it, and others wait for this thread.
    return _read(blobs, key) if time.monotonic() < deadline else None


def _read(blobs: BlobStore, key: str) -> bytes | None:
    try:
        return blobs.get(key)
    except (BlobMissingError, UnavailableError) as error:
        logger.warning("a small blob was not read: %s", error)
        return None


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(CONNECTIONS, "blob-read")
