"""Errors of the storage are reported, whatever the operation."""

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from visual_review.kernel.blobs import BlobStore, open_store
from visual_review.kernel.disk_reserve import (
    FREE_AGAIN_BYTES,
    LEAST_FREE_BYTES,
    MEGABYTE,
    DiskReserve,
    require_room,
)
from visual_review.kernel.errors import StorageFullError, UnavailableError

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


class Usage(NamedTuple):
    total: int
    used: int
    free: int


TOTAL = 10_000 * MEGABYTE


class Disk:
    """A disk whose free space is set by the test."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.free = TOTAL
        patch.setattr(shutil, "disk_usage", lambda _: Usage(TOTAL, TOTAL - self.free, self.free))


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


@pytest.fixture
def reserve(tmp_path: Path) -> DiskReserve:
    return DiskReserve(tmp_path / "disk-reserve", 2 * MEGABYTE)


@pytest.mark.usefixtures("disk")
def test_it_is_taken_where_there_is_room(reserve: DiskReserve) -> None:
    reserve.adjust()
    assert reserve.path.stat().st_size == 2 * MEGABYTE
    assert reserve.path.stat().st_blocks * 512 >= 2 * MEGABYTE
    assert not reserve.is_full()


def test_it_is_given_back_before_nothing_is_free(disk: Disk, reserve: DiskReserve) -> None:
    reserve.adjust()
    disk.free = LEAST_FREE_BYTES
    reserve.adjust()
    assert not reserve.is_full()
    disk.free = LEAST_FREE_BYTES - 1
    reserve.adjust()
    assert reserve.is_full()
    assert not reserve.has_room_to_start()


def test_the_room_that_it_gave_back_is_not_enough_to_go_on(
    disk: Disk, reserve: DiskReserve
) -> None:
    # Otherwise the reserve would be given back and taken in turns.
    disk.free = reserve.size + FREE_AGAIN_BYTES - 1
    reserve.adjust()
    assert reserve.is_full()
    assert reserve.missing_megabytes() == 1
    assert reserve.describe() == "the disk is full, 1 MB are missing"
    disk.free += 1
    reserve.adjust()
    assert not reserve.is_full()


def test_people_are_warned_before(disk: Disk, reserve: DiskReserve) -> None:
    disk.free = TOTAL // 10
    assert not reserve.is_nearly_full()
    disk.free -= 1
    assert reserve.is_nearly_full()
    assert reserve.free_megabytes() == 999


def test_what_would_be_stored_is_refused_with_the_missing_megabytes(
    disk: Disk, reserve: DiskReserve
) -> None:
    require_room(None)
    disk.free = 0
    with pytest.raises(StorageFullError, match="full: 98 MB must be freed"):
        require_room(reserve)


@pytest.mark.usefixtures("disk")
def test_room_that_someone_else_took_is_asked_for_again(
    reserve: DiskReserve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("visual_review.kernel.disk_reserve._fill", fail)
        reserve.adjust()
    assert list(reserve.path.parent.iterdir()) == []
    reserve.adjust()
    assert not reserve.is_full()
