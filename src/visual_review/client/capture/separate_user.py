"""A separate user for the browser of one run, if root runs the capture.

Chromium's sandbox does not start for root. Another user also cannot read the environment or the
files of other processes, whether the sandbox works or not.
"""

import os
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.capture import drop_privileges

# Reserved for users that exist as long as a service runs, and allowed in containers.
USER_IDS: Final = range(61184, 65520)
ACCOUNTS: Final = Path("/etc/passwd")
PROCESSES: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class SeparateUser:
    """A user ID that nothing else has, and the folder of this user."""

    id: int
    home: Path

    def wrap(self, browser: Path) -> list[str]:
        """Return the beginning of a command for starting ``browser`` as this user."""
        start = [sys.executable, "-I", "-S", drop_privileges.__file__]
        # Absolute, because the browser starts in the user's folder.
        return [*start, str(self.id), str(self.home), str(browser.absolute())]


@contextmanager
def separate_user() -> Iterator[SeparateUser | None]:
    """Return a user with an empty folder for one run, or None unless this is root on Linux."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        yield None
        return
    user = choose_user_id(_used_ids())
    with tempfile.TemporaryDirectory(
        prefix="visual-review-browser-", ignore_cleanup_errors=True
    ) as folder:
        root = Path(folder)
        # The user may pass through the folder to its own folder, but not list the folder.
        root.chmod(0o711)
        home = root / "home"
        home.mkdir(mode=0o700)
        # Impossible in a container with only one user; starting the browser fails, too.
        with suppress(OSError):
            os.chown(home, user, user)
        yield SeparateUser(user, home)


def choose_user_id(used: set[int]) -> int:
    """Return an ID that no account and no process has, so that nothing else belongs to it."""
    free = [user for user in USER_IDS if user not in used]
    return secrets.choice(free or USER_IDS)


def _used_ids() -> set[int]:
    used: set[int] = set()
    with suppress(OSError):
        for line in ACCOUNTS.read_text(encoding="utf-8", errors="replace").splitlines():
            used.update(int(field) for field in line.split(":")[2:3] if field.isdecimal())
    for process in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            used.add(process.stat().st_uid)
    return used
