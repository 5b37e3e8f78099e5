"""Blobs of remote storage arrive completely, or with an error in time."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from obstore.store import MemoryStore, S3Store

from visual_review.config.http import django_bridge
from visual_review.config.http.bodies import IN_MEMORY_BYTES, Spool
from visual_review.config.http.django_bridge import FetchedBlob, RemoteBlobs
from visual_review.kernel.blobs import BlobMissingError, BlobStore
from visual_review.kernel.errors import UnavailableError

LARGE = bytes(range(256)) * (4 * IN_MEMORY_BYTES // 256)


@pytest.fixture
def silent_storage() -> Iterator[BlobStore]:
    """A server that takes connections, and never responds."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        endpoint = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield BlobStore(
            S3Store(
                "bucket",
                endpoint=endpoint,
                region="us-east-1",
                access_key_id="a",
                secret_access_key="b",
                client_options={"allow_http": True},
            )
        )


def fetch(blobs: BlobStore, folder: Path, key: str) -> tuple[FetchedBlob, bytes]:
    async def run() -> tuple[FetchedBlob, bytes]:
        with ExitStack() as resources:
            found = await RemoteBlobs(Spool(str(folder))).fetch(blobs, key, resources)
            found.file.seek(0)
            return found, found.file.read()

    return asyncio.run(run())


def test_small_blobs_stay_in_memory_and_large_ones_do_not(tmp_path: Path) -> None:
    blobs = BlobStore(MemoryStore())
    blobs.put("small", b"small")
    blobs.put("large", LARGE)
    small, data = fetch(blobs, tmp_path, "small")
    assert (data, small.size, small.on_disk) == (b"small", 5, False)
    large, data = fetch(blobs, tmp_path, "large")
    assert (data, large.size, large.on_disk) == (LARGE, len(LARGE), True)


def test_a_lost_blob_is_missing(tmp_path: Path) -> None:
    with pytest.raises(BlobMissingError):
        fetch(BlobStore(MemoryStore()), tmp_path, "lost")


def test_a_storage_that_hangs_is_not_waited_for(
    silent_storage: BlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(django_bridge, "FETCH_SECONDS", 0.1)
    with pytest.raises(UnavailableError, match="failed to read 'key'"):
        fetch(silent_storage, tmp_path, "key")
