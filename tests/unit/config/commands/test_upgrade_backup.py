"""Kept backups of upgrades, and the space needed for one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from visual_review.config.commands.migrate import (
    check_space,
    list_superfluous,
    make_name,
)
from visual_review.config.environment import StartupError


def name(program: str, day: int) -> str:
    return make_name(program, datetime(2026, 3, day, 12, tzinfo=UTC))


def test_the_name_has_the_version_and_the_time() -> None:
    assert name("1.4.0", 2) == "before-1.4.0-20260302T120000.000Z.tar"


def test_the_first_and_the_newest_backup_of_three_upgrades_are_kept() -> None:
    kept = [name("1.1", 2), name("1.2", 3), name("1.2", 9), name("1.10", 10)]
    superfluous = [name("1.0", 1), *(name("1.2", day) for day in range(4, 9))]
    assert list_superfluous([*superfluous, *kept]) == sorted(superfluous)


def test_files_that_are_no_backups_stay_and_interrupted_ones_do_not() -> None:
    assert list_superfluous(["notes.txt", "before-friday.tar", f"{name('1.0', 1)}.partial"]) == [
        f"{name('1.0', 1)}.partial"
    ]


def test_a_backup_larger_than_the_disk_is_refused(tmp_path: Path) -> None:
    check_space(tmp_path, 0)
    with pytest.raises(StartupError, match=r"needs up to \d+ MB in .*, where \d+ MB are free"):
        check_space(tmp_path, 1 << 60)
