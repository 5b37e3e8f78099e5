"""Errors of the storage are reported, whatever the operation."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from visual_review.kernel.blobs import BlobStore, open_store
from visual_review.kernel.errors import UnavailableError

KEY = "images/org/aa/image.png"


@pytest.fixture
def broken_store(tmp_path: Path) -> BlobStore:
    """A store with a file in place of the folder of images."""
    store = open_store((tmp_path / "store").as_uri())
    (tmp_path / "store" / "images").write_bytes(b"not a folder")
    return store


@pytest.mark.parametrize(
    "operation",
    [
        lambda store: store.get(KEY),
        lambda store: store.put(KEY, b"bytes"),
        lambda store: store.size(KEY),
        lambda store: store.delete([KEY]),
        lambda store: list(store.keys("images/org")),
    ],
    ids=["get", "put", "size", "delete", "keys"],
)
def test_a_broken_folder_is_reported(
    broken_store: BlobStore, operation: Callable[[BlobStore], object]
) -> None:
    with pytest.raises(UnavailableError, match="The storage failed to"):
        operation(broken_store)


def test_adding_up_sizes_keeps_no_list_of_blobs(tmp_path: Path) -> None:
    store = open_store(tmp_path.as_uri())
    count = 5000
    (tmp_path / "diffs").mkdir()
    for number in range(count):
        (tmp_path / f"diffs/{number}").write_bytes(b"12")
    tracemalloc.start()
    try:
        assert sum(size for _, size in store.sizes("diffs")) == 2 * count
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # A path alone takes more.
    assert peak < 50 * count


def test_many_blobs_are_deleted_and_missing_ones_ignored(tmp_path: Path) -> None:
    store = open_store(tmp_path.as_uri())
    keys = [f"images/org/{number % 7}/{number}" for number in range(300)]
    for key in keys[::2]:
        store.put(key, b"bytes")
    store.put("images/org/kept", b"bytes")
    store.delete(keys)
    assert list(store.keys()) == ["images/org/kept"]
