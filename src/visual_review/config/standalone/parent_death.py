"""Children that end with their parent, also when it is killed and can clean nothing up."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

# From <linux/prctl.h>.
PR_SET_PDEATHSIG = 1

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def ends_with_parent(signal_number: signal.Signals) -> Callable[[], None]:
    """A ``preexec_fn``: the kernel sends the child ``signal_number`` when its parent dies.

    It must run after a change of account, which clears the wish; subprocess does so. Only
    Linux knows this; elsewhere the next start ends what is left over.
    """
    parent = os.getpid()

    def before_exec() -> None:
        if _libc is None:
            return
        _libc.prctl(PR_SET_PDEATHSIG, int(signal_number))
        if os.getppid() != parent:
            # The parent died before the wish was made.
            os._exit(1)

    return before_exec
