"""Handing a folder of root over to the account that the service runs as."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from visual_review.config.standalone.os_user import ROOT, Account

MODE = 0o700
# O_NOFOLLOW: what is a folder when it is listed must not be a link when it is opened.
FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def prepare_folder(path: Path, account: Account, *, known: Callable[[str], bool]) -> list[str]:
    """Create a folder for ``account``, or hand it over if root owns it and knows all in it.

    Returns the names of files because of which a folder of root was left alone.
    """
    if not path.exists():
        path.mkdir(mode=MODE)
        os.chown(path, account.uid, account.gid)
    if path.stat().st_uid != ROOT:
        return []
    others = sorted(entry.name for entry in path.iterdir() if not known(entry.name))
    if not others:
        hand_over(path, account)
    return others


def hand_over(path: Path, account: Account) -> None:
    """Make ``account`` the owner of a folder of root and all that root owns in it.

    A folder changes its owner after its contents, so that the account cannot replace a file by a
    link while root works there, and an interrupted run is continued by the next. Folders of other
    users are left alone with all they contain, and links are never followed.
    """
    folder = os.open(path, FOLDER_FLAGS)
    try:
        _hand_over(folder, account)
    finally:
        os.close(folder)


def _hand_over(folder: int, account: Account) -> None:
    if os.fstat(folder).st_uid != ROOT:
        return
    with os.scandir(folder) as entries:
        names = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    for name, status in names:
        if status.st_uid != ROOT:
            continue
        if stat.S_ISDIR(status.st_mode):
            inner = os.open(name, FOLDER_FLAGS, dir_fd=folder)
            try:
                _hand_over(inner, account)
            finally:
                os.close(inner)
        # A file with a second name may be one of the system.
        elif stat.S_ISLNK(status.st_mode) or status.st_nlink == 1:
            os.chown(name, account.uid, account.gid, dir_fd=folder, follow_symlinks=False)
    os.fchmod(folder, stat.S_IMODE(os.fstat(folder).st_mode) & MODE)
    os.fchown(folder, account.uid, account.gid)
