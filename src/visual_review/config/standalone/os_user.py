"""The system account of PostgreSQL, and the files accessible to the account."""

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from visual_review.config.environment import StartupError

ACCOUNT_NAME = "visual-review"
ROOT = 0
# The exit code of useradd if another process has just created the same account.
ACCOUNT_EXISTS = 9
SHELL = "/bin/sh"


@dataclass(frozen=True)
class Account:
    """The account of PostgreSQL's processes; ``change`` is False for our own account."""

    uid: int
    gid: int
    change: bool

    def options(self) -> dict[str, Any]:
        """Return the arguments of ``subprocess`` for starting a process as the account."""
        if not self.change:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def give_ownership(self, path: Path) -> None:
        """Make the account the owner of a path created by us."""
        if self.change:
            os.chown(path, self.uid, self.gid)

    def can_reach(self, path: Path) -> bool:
        """Whether the account can enter the folder, or read the file."""
        if not self.change:
            return os.access(path, os.X_OK if path.is_dir() else os.R_OK)
        check = 'cd "$0"' if path.is_dir() else 'test -r "$0"'
        done = subprocess.run(  # noqa: S603 - A fixed command; the path is an argument.
            [SHELL, "-c", check, str(path)],
            cwd="/",
            capture_output=True,
            check=False,
            **self.options(),
        )
        return done.returncode == 0

    def find_obstacle(self, path: Path) -> Path | None:
        """Return the outermost folder on the way to ``path`` that the account cannot enter."""
        for folder in [*reversed(path.parents), path]:
            if folder.exists() and not self.can_reach(folder):
                return folder
        return None


def account_for(folder: Path) -> Account:
    """Return the account that owns (or will own) the database's ``folder``.

    PostgreSQL does not run as root, so root uses a separate account. An existing folder keeps its
    owner, so that root can start a folder created by an ordinary user.
    """
    if os.geteuid() != ROOT:
        return Account(os.geteuid(), os.getegid(), change=False)
    if folder.exists() and folder.stat().st_uid != ROOT:
        owner = folder.stat()
        return Account(owner.st_uid, owner.st_gid, change=True)
    entry = _find() or _create()
    return Account(entry.pw_uid, entry.pw_gid, change=True)


def _find() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(ACCOUNT_NAME)
    except KeyError:
        return None


def _create() -> pwd.struct_passwd:
    program = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        raise StartupError(_no_account("this machine has no 'useradd'"))
    command = [
        program,
        "--system",
        "--user-group",
        "--no-create-home",
        "--home-dir",
        "/nonexistent",
    ]
    done = subprocess.run(  # noqa: S603 - A program of the system with fixed arguments.
        [*command, "--shell", "/usr/sbin/nologin", ACCOUNT_NAME],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, ACCOUNT_EXISTS}:
        raise StartupError(_no_account(f"'useradd' said: {done.stderr.strip()}"))
    entry = _find()
    if entry is None:
        raise StartupError(_no_account("the new account cannot be looked up"))
    return entry


def _no_account(reason: str) -> str:
    return (
        f"PostgreSQL does not run as root, and the account '{ACCOUNT_NAME}' could not be created: "
        f"{reason}. Create a system account with that name, run 'visual-review up' as an ordinary "
        "user, or set VISUAL_REVIEW_DATABASE_URL for 'visual-review web' and 'worker'."
    )
