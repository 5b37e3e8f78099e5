"""Makes child processes end with their parent, even if it is killed."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

# From <linux/prctl.h>.
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def ends_with_parent(signal_number: signal.Signals) -> Callable[[], None]:
    """Return a ``preexec_fn``: the kernel sends ``signal_number`` when the parent dies.

    It must run after a change of account, which clears this setting; subprocess does so. It
    works on Linux only; elsewhere the next start stops leftover processes.
    """
    parent = os.getpid()

    def before_exec() -> None:
        if _libc is None:
            return
        _libc.prctl(PR_SET_PDEATHSIG, int(signal_number))
        if os.getppid() != parent:
            # The parent died before prctl was called.
            os._exit(1)

    return before_exec
