"""Ends processes with their parent, even a killed one, and makes children of orphans."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable

# From <linux/prctl.h>.
PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

ADOPTION_SECONDS = 0.001

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def ends_with_parent(signal_number: signal.Signals) -> Callable[[], None]:
    """Return a ``preexec_fn``: the kernel sends ``signal_number`` when the parent dies.

    Run the function after a change of account, since the change clears the setting; subprocess
    does. Only Linux has the setting; elsewhere the next start stops leftover processes.
    """
    parent = os.getpid()

    def before_exec() -> None:
        end_with(parent, signal_number)

    return before_exec


def end_with(parent: int, signal_number: signal.Signals) -> None:
    """Have the kernel send ``signal_number`` to this process when ``parent`` dies."""
    if _libc is None:
        return
    _libc.prctl(PR_SET_PDEATHSIG, int(signal_number))
    if os.getppid() != parent:
        # The parent died before prctl was called.
        os._exit(1)


def adopt_orphans(*, enabled: bool) -> bool:
    """Become the parent of descendants whose own parent ends; return False where impossible."""
    return _libc is not None and _libc.prctl(PR_SET_CHILD_SUBREAPER, int(enabled), 0, 0, 0) == 0


def fork_for(adopter: int) -> bool:
    """Fork a process whose parent is ``adopter``; True in it, False here. See adopt_orphans."""
    helper = os.fork()
    if helper:
        os.waitpid(helper, 0)
        return False
    helper = os.getpid()
    if os.fork():
        # The helper's child is an orphan now.
        os._exit(0)
    while os.getppid() == helper:
        time.sleep(ADOPTION_SECONDS)
    end_with(adopter, signal.SIGTERM)
    return True
