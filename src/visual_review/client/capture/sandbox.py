"""How the browser is confined: by its sandbox, and by a user of its own if root runs the capture.

Chromium's sandbox does not start for root. Another user also cannot read the environment or the
files of other processes, whether the sandbox works or not.
"""

import os
import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.client.capture import drop_privileges
from visual_review.client.capture.drop_privileges import BROWSER_OUT_OF_REACH, NO_OTHER_USER

# Chromium's messages if the system denies user namespaces, and the setuid helper is missing.
SIGNS_OF_NO_NAMESPACES: Final = (
    "No usable sandbox",
    "crbug.com/357670",
    "Failed to move to new namespace",
    "zygote_host_impl_linux",
    "setuid_sandbox_host",
)
DOCUMENTED: Final = 'See "The sandbox" in the documentation of visual-review capture.'
_SECCOMP_FILTER: Final = "2"
# Reserved for users that exist as long as a service runs, and allowed in containers.
USER_IDS: Final = range(61184, 65520)
ACCOUNTS: Final = Path("/etc/passwd")
PROCESSES: Final = Path("/proc")


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason for the missing sandbox, and the remedy."""

    problem: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.problem}. {self.remedy}"


WRAPPER: Final = Failure(
    "its wrapper turns the sandbox off",
    "Remove --no-sandbox from the wrapper, or choose another browser with --chromium.",
)
OUT_OF_REACH: Final = Failure(
    "only root can read the browser",
    "Install it for all users: Debian's package chromium-headless-shell, or Playwright's "
    "with PLAYWRIGHT_BROWSERS_PATH=/opt/browsers for installing and capturing.",
)
NO_USER: Final = Failure(
    "root cannot become another user here", f"Run the command as an ordinary user. {DOCUMENTED}"
)
NO_NAMESPACES: Final = Failure(
    "this system denies it user namespaces",
    "Start the container with a seccomp profile that allows them; on Ubuntu, run "
    f"`sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`. {DOCUMENTED}",
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How the browser of a run is confined."""

    # The ID of the browser's own user, if root runs the capture.
    user: int | None = None
    # Set for a browser outside of its sandbox.
    failure: Failure | None = None

    @property
    def active(self) -> bool:
        return self.failure is None

    def describe(self) -> str:
        """Return one line."""
        user = "" if self.user is None else f" as user {self.user}"
        if self.failure is None:
            return f"in its sandbox{user}"
        return f"without its sandbox{user}: {self.failure}"


def explain_failure(log: str) -> Failure:
    """Return why a browser with this ``log`` did not start in its sandbox."""
    if BROWSER_OUT_OF_REACH in log:
        return OUT_OF_REACH
    if NO_OTHER_USER in log:
        return NO_USER
    if any(sign in log for sign in SIGNS_OF_NO_NAMESPACES):
        return NO_NAMESPACES
    quoted = re.search(r"\[err\] (.{1,200})", log)
    return Failure(
        f"it did not start in it{f' ({quoted[1].strip()})' if quoted else ''}", DOCUMENTED
    )


def is_confined(renderer: str, own: str) -> bool:
    """Return whether a renderer is in the sandbox, by its and our own ``/proc/PID/status``.

    A renderer in the sandbox has a PID namespace below ours, and filters for system calls.
    """
    levels, own_levels = _read_field(renderer, "NSpid"), _read_field(own, "NSpid")
    filters = _read_field(renderer, "Seccomp")
    # A kernel without these fields leaves only Chromium's word: Chromium does not start without a
    # sandbox.
    if not levels or not own_levels or not filters:
        return True
    return len(levels) > len(own_levels) and filters == [_SECCOMP_FILTER]


def _read_field(status: str, name: str) -> list[str]:
    found = re.search(rf"^{name}:(.*)$", status, re.MULTILINE)
    return found[1].split() if found else []


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
