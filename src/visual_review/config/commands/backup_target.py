"""Where a backup is written while root acts as another user, who may not write there."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from visual_review.config.commands.backup_archive import ArchiveError
from visual_review.config.standalone import privileges
from visual_review.config.standalone.os_user import ROOT


@contextmanager
def writable_target(file: Path, data: Path | None) -> Iterator[Path]:
    """Yield the path to write, renamed to ``file``, owned by root, when the block succeeds."""
    if data is None or not privileges.is_root() or not data.exists():
        yield file
        return
    owner = data.stat()
    if owner.st_uid == ROOT:
        yield file
        return
    private = _make_folder(file, owner)
    target = private / file.name
    try:
        yield target
        if not stat.S_ISREG(target.lstat().st_mode):
            raise ArchiveError(f"Another process replaced the backup {target}. Nothing was kept.")
        os.chown(target, ROOT, ROOT, follow_symlinks=False)
        target.rename(file)
    finally:
        rmtree(private, ignore_errors=True)


def _make_folder(file: Path, owner: os.stat_result) -> Path:
    if file.exists():
        raise ArchiveError(f"{file} already exists. Choose another file.")
    try:
        # Next to the file, where the disk has space for the backup.
        private = Path(mkdtemp(prefix=f".{file.name}-", dir=file.absolute().parent))
    except OSError as error:
        raise ArchiveError(f"Cannot write {file}: {error.strerror}.") from error
    os.chown(private, owner.st_uid, owner.st_gid)
    return private
