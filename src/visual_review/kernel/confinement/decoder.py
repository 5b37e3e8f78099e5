"""The confinement of a child process in which libraries written in C read an untrusted file."""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from visual_review.kernel.confinement.capabilities import (
    CHANGE_OWNER,
    SET_GROUP,
    SET_USER,
    change_user,
    drop_capabilities,
    has_capabilities,
)
from visual_review.kernel.confinement.landlock import (
    CHANGE_FILES,
    known_rights,
    landlock_version,
    restrict_files,
)
from visual_review.kernel.confinement.process import forbid_new_privileges, restrict_new_files
from visual_review.kernel.confinement.seccomp import allow_only, install, seccomp_available
from visual_review.kernel.confinement.system_call_numbers import COMPUTING
from visual_review.kernel.confinement.system_calls import MACHINE, count_threads

ROOT: Final = 0
# By convention the account that owns nothing, on every system.
UNPRIVILEGED: Final = 65534
THREADS_SECONDS: Final = 10.0
THREADS_PAUSE_SECONDS: Final = 0.01


@dataclass(frozen=True)
class DecoderConfinement:
    """What is in force: the version of Landlock or 0, and whether calls are filtered."""

    landlock: int
    seccomp: bool
    own_user: bool

    def describe(self) -> str:
        """Return one phrase for the log and ``doctor``."""
        files = (
            f"files by Landlock (version {self.landlock})"
            if self.landlock
            else "files by a user of its own"
            if self.own_user
            else "files not at all, as this kernel has no Landlock"
        )
        calls = "network and processes by seccomp" if self.seccomp else "no seccomp"
        return f"{files}; {calls}; no_new_privs"

    @property
    def is_complete(self) -> bool:
        return self.seccomp and (self.landlock > 0 or self.own_user)


def expected_confinement() -> DecoderConfinement:
    """Return what a child of this process will be able to put in force."""
    own_user = os.geteuid() == ROOT and has_capabilities(CHANGE_OWNER, SET_GROUP, SET_USER)
    return DecoderConfinement(landlock_version(), seccomp_available(), own_user)


def confine_decoder(folder: Path) -> DecoderConfinement:
    """Leave this process nothing but the files of ``folder``.

    All code must be loaded before, and no thread started: the kernel restricts only the calling
    thread and what it starts. What this kernel lacks is left out, as the result says.
    """
    _wait_for_threads()
    restrict_new_files()
    if not MACHINE:
        return DecoderConfinement(landlock=0, seccomp=False, own_user=False)
    own_user = _leave_root(folder)
    drop_capabilities()
    forbid_new_privileges()
    landlock = landlock_version()
    if landlock:
        restrict_files({folder: CHANGE_FILES}, known_rights(landlock), isolate=True)
    filtered = seccomp_available()
    if filtered:
        install(allow_only(COMPUTING))
    return DecoderConfinement(landlock, filtered, own_user)


def _wait_for_threads() -> None:
    """Wait until this is the only thread; raises RuntimeError if another one stays."""
    deadline = time.monotonic() + THREADS_SECONDS
    # The kernel lists a thread for a moment after the library has joined it.
    while count_threads() > 1:
        if time.monotonic() > deadline:
            raise RuntimeError("Threads of this process would not be confined.")
        time.sleep(THREADS_PAUSE_SECONDS)


def _leave_root(folder: Path) -> bool:
    """Become a user who owns nothing but ``folder``; only root can, and without it returns False."""
    if os.geteuid() != ROOT:
        return False
    # A container can withhold these rights even from root.
    if not has_capabilities(CHANGE_OWNER, SET_GROUP, SET_USER):
        return False
    for path in (folder, *folder.iterdir()):
        os.chown(path, UNPRIVILEGED, UNPRIVILEGED, follow_symlinks=False)
    change_user(UNPRIVILEGED, UNPRIVILEGED)
    return True
