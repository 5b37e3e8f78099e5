"""Temporary folders for converting videos; those left by killed workers are deleted."""

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
# A new folder is not locked for a moment; it must not be deleted then.
MIN_AGE_SECONDS: Final = 600


@contextmanager
def work_folder() -> Iterator[Path]:
    """Create an empty folder, marked as in use by a lock that ends with the process."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=_parent_folder()))
    try:
        with (folder / LOCK).open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_free_space(folder: Path, size: int) -> None:
    """Raise StorageFullError if ``size`` bytes would fill the disk of a work folder."""
    # The database may be on the same disk, and stops when that is full.
    if shutil.disk_usage(folder).free < size + MINIMUM_FREE_BYTES:
        raise StorageFullError(
            "The disk used for converting videos does not have enough free space for this one. "
            "Free some space; the recording is then processed automatically."
        )


def sweep_work_folders() -> int:
    """Delete the folders that no running process uses; returns how many."""
    newest = time.time() - MIN_AGE_SECONDS
    old = [path for path in _parent_folder().glob(f"{PREFIX}*") if _modified_at(path) < newest]
    return sum(_delete_if_unused(path) for path in old)


def _delete_if_unused(folder: Path) -> bool:
    try:
        with (folder / LOCK).open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Locked, or already deleted.
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _parent_folder() -> Path:
    folder = Path(settings.WORK_FOLDER or tempfile.gettempdir())
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
