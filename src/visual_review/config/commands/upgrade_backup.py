"""Backs up the database before its migrations: the way back from an upgrade."""

import re
import shutil
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from django.db import connection

from visual_review.config.commands.backup import write_database_backup
from visual_review.config.errors import StartupError
from visual_review.kernel.clock import now

# How many upgrades can be undone: of each, the first backup and the newest are kept.
UPGRADES_KEPT = 3
# The space for the migration itself is not known; a full disk would stop the database.
RESERVED_BYTES = 256 * 1024 * 1024
NAME = re.compile(
    r"before-(?P<program>.+)-(?P<time>\d{8}T\d{6}\.\d{3}Z)\.tar(?P<partial>\.partial)?"
)
SIZE = "SELECT pg_database_size(current_database())"


def back_up_before_upgrade(folder: Path) -> Path:
    """Write a backup of the database into ``folder``; raises StartupError on failure."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_space(folder, _measure_database())
    except OSError as error:
        raise StartupError(
            "The database was not upgraded: its backup cannot be written to "
            f"{folder}: {error.strerror or error}."
        ) from error
    path = folder / make_name(version("visual-review"), now())
    write_database_backup(path)
    for name in list_superfluous(entry.name for entry in folder.iterdir()):
        (folder / name).unlink(missing_ok=True)
    return path


def check_space(folder: Path, database_bytes: int) -> None:
    """Raise StartupError unless the backup fits; a backup is smaller than the database."""
    needed, free = database_bytes + RESERVED_BYTES, shutil.disk_usage(folder).free
    if free < needed:
        raise StartupError(
            "The database was not upgraded: the backup before the upgrade needs up to "
            f"{needed >> 20} MB in {folder}, where {free >> 20} MB are free. Free space, or set "
            "VISUAL_REVIEW_BACKUPS to a folder on another disk."
        )


def make_name(program: str, moment: datetime) -> str:
    """Return the name of a backup before the upgrade to ``program``."""
    # To the millisecond, as a second attempt may follow at once.
    milliseconds = moment.microsecond // 1000
    return f"before-{program}-{moment:%Y%m%dT%H%M%S}.{milliseconds:03}Z.tar"


def list_superfluous(names: Iterable[str]) -> list[str]:
    """Return the backups to delete, and the remains of interrupted ones.

    A repeatedly failing upgrade has many backups. The first has the state before the upgrade, the
    newest the work done since.
    """
    found = [match for name in names if (match := NAME.fullmatch(name))]
    partial = [match[0] for match in found if match["partial"]]
    complete = sorted(
        (match for match in found if not match["partial"]), key=lambda match: match["time"]
    )
    upgrades = [list(group) for _, group in groupby(complete, lambda match: match["program"])]
    kept = {
        match[0] for upgrade in upgrades[-UPGRADES_KEPT:] for match in (upgrade[0], upgrade[-1])
    }
    return sorted([*partial, *(match[0] for match in complete if match[0] not in kept)])


def _measure_database() -> int:
    with connection.cursor() as cursor:
        cursor.execute(SIZE)
        return int(cursor.fetchone()[0])
