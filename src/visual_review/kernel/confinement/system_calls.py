"""Raw system calls of Linux, for what neither Python nor the C library offers."""

import ctypes
import os
import platform
import sys
from pathlib import Path
from typing import Final

# From <linux/prctl.h>.
PR_SET_DUMPABLE: Final = 4
PR_SET_KEEPCAPS: Final = 8
PR_GET_SECCOMP: Final = 21
PR_SET_SECCOMP: Final = 22
PR_SET_NO_NEW_PRIVS: Final = 38
PR_CAP_AMBIENT: Final = 47

THREADS: Final = Path("/proc/self/task")

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
# Empty on other systems, which have none of this.
MACHINE: Final = platform.machine() if sys.platform == "linux" else ""


class ConfinementError(OSError):
    """The kernel refused a restriction of this process."""


def system_call(number: int, *arguments: object) -> int:
    """Return the result of a system call; raises ConfinementError."""
    return call_library("syscall", number, *arguments)


def prctl(option: int, *arguments: int) -> int:
    """Return the result of ``prctl``; raises ConfinementError."""
    padded = (*arguments, 0, 0, 0, 0)[:4]
    return call_library("prctl", option, *(ctypes.c_ulong(value) for value in padded))


def call_library(function: str, *arguments: object) -> int:
    """Return the result of a function of the C library; raises ConfinementError."""
    if _libc is None:
        raise ConfinementError("Only Linux can restrict a process like this.")
    result = int(_libc[function](*arguments))
    if result < 0:
        number = ctypes.get_errno()
        raise ConfinementError(number, f"{function}{arguments[:1]}: {os.strerror(number)}")
    return result


def count_threads() -> int:
    """Return the number of threads of this process; 1 where that is unknown."""
    try:
        return len(list(THREADS.iterdir()))
    except OSError:
        return 1
