"""The reserve: given back when the disk is full, taken again when there is room for more than it."""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from visual_review.kernel.disk_reserve import (
    FREE_AGAIN_BYTES,
    LEAST_FREE_BYTES,
    MEGABYTE,
    DiskReserve,
    require_room,
)
from visual_review.kernel.errors import StorageFullError


class Usage(NamedTuple):
    total: int
    used: int
    free: int


TOTAL = 10_000 * MEGABYTE


class Disk:
    """A disk of which the test says how much is free."""

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
    # Otherwise it would be given back and taken in turns.
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
