"""Files go into the storage whole or not at all, and come out as they went in."""

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from visual_review.kernel.blob_files import get_to_file, put_file, take
from visual_review.kernel.blobs import BlobMissingError, BlobStore, open_store
from visual_review.kernel.errors import InvalidInputError, UnavailableError

KEY = "recordings/org/rec/video.webm"
KILLED = """
import os, signal, sys
from pathlib import Path
from visual_review.kernel.blob_files import put_file
from visual_review.kernel.blobs import open_store

os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
put_file(open_store(sys.argv[1]), sys.argv[2], Path(sys.argv[3]), "video/webm")
"""


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    return open_store((tmp_path / "store").as_uri())


def files(store: BlobStore) -> list[Path]:
    assert store.folder is not None
    return [path for path in store.folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("size", [5, 7], ids=["fewer", "more"])
def test_another_number_of_bytes_leaves_nothing(store: BlobStore, size: int) -> None:
    with pytest.raises(InvalidInputError, match=f"after 6 of {size} bytes"):
        take(store, KEY, iter([b"abc", b"def"]), size)
    assert files(store) == []


def test_what_is_taken_again_replaces_what_lay_there(store: BlobStore) -> None:
    take(store, KEY, iter([b"abc"]), 3)
    take(store, KEY, iter([b"def"]), 3)
    assert store.get(KEY) == b"def"
    assert len(files(store)) == 1


def test_a_folder_that_cannot_be_written_is_told_of_in_words(store: BlobStore) -> None:
    assert store.folder is not None
    (store.folder / "recordings").write_bytes(b"no folder")
    with pytest.raises(UnavailableError, match="did not let the service write"):
        take(store, KEY, iter([b"abc"]), 3)


def test_a_file_goes_in_and_comes_out(store: BlobStore, tmp_path: Path) -> None:
    data = bytes(range(256)) * 40_000
    path = tmp_path / "video.webm"
    path.write_bytes(data)
    put_file(store, KEY, path, "video/webm")
    put_file(store, KEY, path, "video/webm")
    out = io.BytesIO()
    assert b"".join(get_to_file(store, KEY, out)) == out.getvalue() == data
    assert store.sizes("recordings/org/rec") == {KEY: len(data)}


def test_a_file_that_is_not_there_is_missing(store: BlobStore) -> None:
    with pytest.raises(BlobMissingError):
        list(get_to_file(store, KEY, io.BytesIO()))


def test_what_a_killed_process_left_is_listed_so_that_it_can_be_deleted(
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
