"""The data folder of ``visual-review up``: contents, lock and version.

``visual-review.json`` (the version stamp), ``lock``, ``secret-key``, ``database-password``,
``postgres/`` (owned by the account of PostgreSQL), ``blobs/``, ``work/``, ``backups/`` (of the
database, before upgrades), ``programs/`` (copies of PostgreSQL where the account cannot reach the
installed programs).
"""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO

from visual_review.config.environment import StartupError, read_reserve_bytes
from visual_review.config.standalone import privileges
from visual_review.config.standalone.os_user import ROOT, account_for
from visual_review.kernel.disk_reserve import FREE_AGAIN_BYTES

STAMP = "visual-review.json"
# Incremented when older versions cannot read the new layout.
LAYOUT = 2
MINIMUM_FREE_BYTES = 256 * 1024 * 1024
# PostgreSQL's account must be able to reach its own subfolder in root's folder.
ROOT_MODE = 0o711
MODE = 0o700


@dataclass(frozen=True)
class DataFolder:
    """An open data folder; no other process can open the folder until this one ends."""

    path: Path
    lock: IO[str]

    @property
    def postgres(self) -> Path:
        return self.path / "postgres"


class FolderInUseError(StartupError):
    """Another process uses the data folder."""


def is_data_folder(path: Path) -> bool:
    return (path / STAMP).exists()


def storage_url(path: Path) -> str:
    return (path.absolute() / "blobs").as_uri()


def secret_key(path: Path) -> str:
    """Return the key for signing sessions and links, created at the first use."""
    return _secret(path / "secret-key", 48)


def database_password(path: Path) -> str:
    return _secret(path / "database-password", 24)


def _secret(file: Path, size: int) -> str:
    if not file.exists():
        _replace(file, secrets.token_urlsafe(size))
    return file.read_text()


def _replace(file: Path, text: str) -> None:
    fresh = file.with_name(f"{file.name}.new")
    fresh.unlink(missing_ok=True)
    # O_EXCL: never through a link placed there by someone else.
    number = os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(number, "w") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(number)
    fresh.rename(file)


def open_as_account(path: Path) -> DataFolder:
    """Open the folder like ``open_data_folder``; root first becomes the folder's owner.

    A folder owned by root stays root's, and then the service runs as root.
    """
    path = path.absolute()
    create_for_account(path)
    if privileges.is_root() and path.exists():
        if path.stat().st_uid == ROOT:
            privileges.go_on_as_root(f"the data folder {path} belongs to root")
        else:
            privileges.become_account(account_for(path), [path])
    privileges.keep_files_private()
    return open_data_folder(path)


def create_for_account(path: Path) -> None:
    """As root, create the folder for the future account of the service, if possible."""
    if not privileges.is_root() or path.exists():
        return
    with _translated_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        account = account_for(path)
        if obstacle := privileges.find_unreadable(account, [path]):
            name = privileges.name_of(account)
            privileges.go_on_as_root(f"the account {name} cannot read {obstacle}")
            return
        path.mkdir(mode=MODE)
        account.give_ownership(path)


def open_data_folder(path: Path) -> DataFolder:
    """Create or open the folder; raises StartupError for a folder not usable now."""
    path = path.absolute()
    with _translated_errors(path):
        _make(path)
        lock = _lock(path)
        _check_stamp(path)
        # Images are private: other accounts on the machine must not read them.
        (path / "blobs").mkdir(mode=MODE, exist_ok=True)
    # An existing database goes on: it gets the reserve back, or waits for room.
    if not (path / "postgres").exists():
        _check_free_space(path)
    return DataFolder(path, lock)


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise StartupError(
            f"This user cannot use the data folder {path}: {error.strerror} at {error.filename}. "
            "Run as the user who created it, or choose another folder with --data."
        ) from error
    except OSError as error:
        raise StartupError(
            f"The data folder {path} cannot be used: {error.strerror}. Choose another folder with "
            "--data."
        ) from error


def _make(path: Path) -> None:
    if path.exists():
        return
    mode = ROOT_MODE if os.geteuid() == 0 else MODE
    path.mkdir(parents=True, mode=mode)
    # The umask may have restricted the mode above.
    path.chmod(mode)


def _lock(path: Path) -> IO[str]:
    foreign_files = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
    if foreign_files and not {STAMP, "lock"} & set(foreign_files):
        raise StartupError(
            f"The folder {path} has other files ({', '.join(foreign_files[:3])}) and is not a data "
            "folder of Visual Review. Choose an empty or a new folder with --data."
        )
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
    lock = os.fdopen(os.open(path / "lock", flags, 0o600), "a+")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.seek(0)
        owner = lock.read().strip()
        lock.close()
        raise FolderInUseError(
            f"Visual Review is already running with the data folder {path} (process {owner}). Stop "
            "it first, or choose another folder with --data and another port with --port."
        ) from None
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def _check_stamp(path: Path) -> None:
    """Raise StartupError for a folder of a newer version, or of one from before the first release."""
    file = path / STAMP
    program = version("visual-review")
    if not file.exists():
        write_stamp(path)
        return
    try:
        found = json.loads(file.read_text())
        layout, maker = int(found["layout"]), str(found["program"])
    except (ValueError, KeyError, TypeError) as error:
        raise StartupError(
            f"The version file {file} is not valid. Restore a backup into a new folder, or "
            'write this into it: {"layout": 2, "program": "' + program + '"}.'
        ) from error
    if layout > LAYOUT:
        raise StartupError(
            f"The data folder {path} was last used by Visual Review {maker}, which is newer "
            f"than this one ({program}). Install that version or a later one; to go back, "
            "restore a backup from before the upgrade into a new folder."
        )
    if layout < LAYOUT:
        raise StartupError(
            f"The data folder {path} was made by a development version from before the first "
            "release, which cannot be upgraded: choose an empty or a new folder with --data."
        )


def write_stamp(path: Path) -> None:
    """Note that this version uses the folder; call after an upgrade, not before."""
    program = version("visual-review")
    _replace(path / STAMP, json.dumps({"layout": LAYOUT, "program": program}) + "\n")


def _check_free_space(path: Path) -> None:
    free = shutil.disk_usage(path).free
    # With less, the service would begin as one whose disk is full.
    needed = max(MINIMUM_FREE_BYTES, read_reserve_bytes() + FREE_AGAIN_BYTES)
    if free < needed:
        raise StartupError(
            f"The disk of {path} is full: {free >> 20} MB are free, but at least "
            f"{needed >> 20} MB are needed. Free space, or choose a folder on another "
            "disk with --data."
        )
