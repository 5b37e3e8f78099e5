"""Giving up root: the service runs as an ordinary user wherever the user can read all needed files.

Tests of commands in the test's own process replace functions of this module.
"""

import ctypes
import logging
import os
import pwd
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

import visual_review
from visual_review.config.environment import STORAGE_URL, WORK_FOLDER, StartupError
from visual_review.config.standalone.os_user import ROOT, Account, account_for

# Of the person who started the program; the account has no right to the person's files.
PERSONAL: Final = ("HOME", "USER", "LOGNAME", "MAIL", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
# From <linux/prctl.h>.
PR_SET_DUMPABLE: Final = 4
PR_SET_NO_NEW_PRIVS: Final = 38
UMASK: Final = 0o077
# An unreadable compiled module is compiled again.
OPTIONAL: Final = "__pycache__"
PATH_BYTES: Final = 4096
# A path without an owner stands for a new folder.
UNOWNED: Final = Path("/nonexistent/visual-review")

logger = logging.getLogger(__name__)


def is_root() -> bool:
    return os.geteuid() == ROOT


def keep_files_private() -> None:
    os.umask(UMASK)


def harden() -> None:
    """Restrict this process where a restriction costs nothing; after a change of the user."""
    keep_files_private()
    if sys.platform == "linux":
        library = ctypes.CDLL(None)
        # No program started from here gains rights, such as by a set-user-ID bit.
        library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        # Other processes of the same user read neither memory nor environment.
        library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def give_up_root() -> None:
    """As root, let ``web`` or ``worker`` become the owner of the storage, or the service's account."""
    if not is_root():
        return
    url = urlsplit(os.environ.get(STORAGE_URL, ""))
    storage = Path(unquote(url.path)) if url.scheme == "file" else None
    if storage is not None and (not storage.exists() or storage.stat().st_uid == ROOT):
        go_on_as_root(f"the storage folder {storage} belongs to root")
        return
    try:
        account = account_for(storage or UNOWNED)
    except StartupError as error:
        go_on_as_root(str(error))
        return
    become_account(account, [storage] if storage else [])


def become_account(account: Account, folders: Sequence[Path]) -> None:
    """Give up root for good, or say in one line why not; the account must own the ``folders``."""
    if obstacle := find_unreadable(account, folders):
        go_on_as_root(f"the account {name_of(account)} cannot read {obstacle}")
        return
    keep_files_private()
    _change_user(account)
    for name in PERSONAL:
        os.environ.pop(name, None)
    os.environ["HOME"] = "/"
    logger.info("gave up root for the account %s", name_of(account))


@contextmanager
def acting_as_owner(folder: Path) -> Iterator[None]:
    """As root, act as the owner of a folder: a link there could redirect root's writes."""
    if not is_root() or not folder.exists():
        yield
        return
    owner = folder.stat()
    account = Account(owner.st_uid, owner.st_gid, change=True)
    if owner.st_uid == ROOT or find_unreadable(account, [folder]):
        yield
        return
    groups = os.getgroups()
    os.setgroups([])
    # Programs started meanwhile have no other user, as PostgreSQL demands.
    os.setresgid(owner.st_gid, owner.st_gid, ROOT)
    os.setresuid(owner.st_uid, owner.st_uid, ROOT)
    try:
        yield
    finally:
        os.setresuid(ROOT, ROOT, ROOT)
        os.setresgid(ROOT, ROOT, ROOT)
        os.setgroups(groups)


def find_unreadable(account: Account, folders: Iterable[Path]) -> Path | None:
    """Return a part of the installation unreadable for ``account``, or a folder it cannot enter.

    Asks the kernel, in a copy of this process running as the account.
    """
    read, entered = list(_installation()), [_existing(each) for each in folders]
    reading_end, writing_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _change_user(account)
            closed = [path for path in read if not os.access(path, os.R_OK)]
            closed += [path for path in entered if not os.access(path, os.X_OK)]
            closed += [path for path in _work_folder() if not os.access(path, os.W_OK)]
            os.write(writing_end, os.fsencode(closed[0]) if closed else b"")
            os._exit(0)
        finally:
            # Nothing may return from here into the code of the parent.
            os._exit(1)
    os.close(writing_end)
    unreadable = os.read(reading_end, PATH_BYTES)
    os.close(reading_end)
    _, status = os.waitpid(child, 0)
    if status:
        return Path("/")
    return Path(os.fsdecode(unreadable)) if unreadable else None


def _installation() -> Iterator[Path]:
    yield Path(sys.executable).resolve()
    yield Path(visual_review.__file__).resolve().parent
    for name in ("stdlib", "platstdlib"):
        yield Path(sysconfig.get_path(name))
    # A umask of 077 leaves each package readable by its owner only.
    for name in ("purelib", "platlib"):
        folder = Path(sysconfig.get_path(name))
        if folder.is_dir():
            yield from (path for path in sorted(folder.iterdir()) if path.name != OPTIONAL)


def _work_folder() -> list[Path]:
    text = os.environ.get(WORK_FOLDER)
    return [_existing(Path(text).absolute())] if text else []


def _existing(path: Path) -> Path:
    return next(each for each in (path, *path.parents) if each.exists())


def _change_user(account: Account) -> None:
    os.setgroups([])
    os.setgid(account.gid)
    os.setuid(account.uid)


def go_on_as_root(reason: str) -> None:
    """Say in one line why the service runs as root."""
    logger.warning(
        "running as root: %s. Run the service as an ordinary user, and install it where every user "
        "can read it, such as /opt/visual-review",
        reason,
    )


def name_of(account: Account) -> str:
    try:
        return f"'{pwd.getpwuid(account.uid).pw_name}'"
    except KeyError:
        return str(account.uid)
