"""Files are stored completely or not at all, and read back unchanged."""

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from visual_review.kernel.blobs import BlobMissingError, BlobStore, open_store
from visual_review.kernel.errors import InvalidInputError, UnavailableError
from visual_review.recordings.blob_files import get_to_file, put_file, store_pieces

KEY = "recordings/org/rec/video.webm"
KILLED = """
import os, signal, sys
from pathlib import Path
from visual_review.recordings.blob_files import put_file
from visual_review.kernel.blobs import open_store

os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
put_file(open_store(sys.argv[1]), sys.argv[2], Path(sys.argv[3]).open("rb"), "video/webm")
"""


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return open_store((tmp_path / "store").as_uri())


def files(store: BlobStore) -> list[Path]:
    assert store.folder is not None
    return [path for path in store.folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize(("size", "error"), [(5, "more than 5 bytes"), (7, "after 6 of 7 bytes")])
def test_nothing_is_stored_if_the_size_differs(store: BlobStore, size: int, error: str) -> None:
    with pytest.raises(InvalidInputError, match=error):
        store_pieces(store, KEY, iter([b"abc", b"def"]), size)
    assert files(store) == []
    remote = BlobStore(MemoryStore())
    with pytest.raises(InvalidInputError, match=error):
        store_pieces(remote, KEY, iter([b"abc", b"def"]), size)
    assert list(remote.keys()) == []
    store_pieces(remote, KEY, iter([b"abc", b"def"]), 6)
    assert remote.get(KEY) == b"abcdef"


def test_storing_again_replaces_the_file(store: BlobStore) -> None:
    store_pieces(store, KEY, iter([b"abc"]), 3)
    store_pieces(store, KEY, iter([b"def"]), 3)
    assert store.get(KEY) == b"def"
    assert len(files(store)) == 1


def test_a_folder_that_cannot_be_written_is_reported(store: BlobStore) -> None:
    assert store.folder is not None
    (store.folder / "recordings").write_bytes(b"not a folder")
    with pytest.raises(UnavailableError, match="storage failed to write"):
        store_pieces(store, KEY, iter([b"abc"]), 3)


def test_a_file_is_stored_and_read_back(store: BlobStore) -> None:
    data = bytes(range(256)) * 40_000
    for _ in range(2):
        put_file(store, KEY, io.BytesIO(data), "video/webm")
    out = io.BytesIO()
    assert b"".join(get_to_file(store, KEY, out)) == out.getvalue() == data
    assert dict(store.sizes("recordings/org/rec")) == {KEY: len(data)}


def test_a_missing_file_is_reported(store: BlobStore) -> None:
    with pytest.raises(BlobMissingError):
        list(get_to_file(store, KEY, io.BytesIO()))


def test_what_a_killed_process_leaves_is_listed_and_can_be_deleted(
    store: BlobStore, tmp_path: Path
) -> None:
    path = tmp_path / "video.webm"
    path.write_bytes(b"bytes")
    command = [sys.executable, "-c", KILLED, (tmp_path / "store").as_uri(), KEY, str(path)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(files(store)) == 1
    assert store.size(KEY) is None
    store.delete(list(store.keys("recordings/org/rec")))
    assert files(store) == []
