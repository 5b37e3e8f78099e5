"""Folders that videos are converted in; what a killed worker left is found and deleted."""

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings

from visual_review.kernel.blobs import MINIMUM_FREE_BYTES
from visual_review.kernel.errors import StorageFullError

PREFIX: Final = "visual-review-recording-"
LOCK: Final = "lock"
# Between making a folder and holding its lock lies a moment; nobody deletes it then.
YOUNG_SECONDS: Final = 600


@contextmanager
def work_folder() -> Iterator[Path]:
    """An empty folder of one's own; held by a lock, which ends with the process."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_place()))
    try:
        with (folder / LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_work_room(folder: Path, size: int) -> None:
    """Raise StorageFullError when ``size`` bytes would fill the disk of a work folder."""
    # The database may lie on the same disk, and stops when that is full.
    if shutil.disk_usage(folder).free < size + MINIMUM_FREE_BYTES:
        raise StorageFullError(
            "The disk that videos are converted on has too little room for this one. Free space "
            "there; the recording is then processed by itself."
        )


def sweep_work_folders() -> int:
    """Delete the folders that no living process holds; answers how many."""
    oldest = time.time() - YOUNG_SECONDS
    left = [path for path in _place().glob(f"{PREFIX}*") if _age(path) < oldest]
    return sum(_delete_if_left(path) for path in left)


def _delete_if_left(folder: Path) -> bool:
    try:
        with (folder / LOCK).open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Held, or gone by now.
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _place() -> Path:
    place = Path(settings.WORK_FOLDER or tempfile.gettempdir())
    place.mkdir(parents=True, exist_ok=True)
    return place
