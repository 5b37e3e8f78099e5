"""Returns the memory of images to the system while a process is idle."""

import ctypes
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

# Filling the memory again takes milliseconds, so a busy process may lose free memory as well.
RELEASE_SECONDS: Final = 30.0
# A parameter of mallopt(3) in glibc.
M_ARENA_MAX: Final = -8


def keep_releasing_memory() -> None:
    """Return freed memory to the system again and again, in a thread of this process.

    Call before starting other threads: then the threads share freed memory. Otherwise each thread
    keeps some, in all more than an idle process needs.
    """
    if limit := _function_of_glibc("mallopt"):
        limit(M_ARENA_MAX, 1)
        threading.Thread(target=_keep_releasing, name="memory", daemon=True).start()


def _keep_releasing() -> None:
    while True:
        time.sleep(RELEASE_SECONDS)
        release_memory()


def release_memory() -> None:
    if trim := _function_of_glibc("malloc_trim"):
        trim(0)


def _function_of_glibc(name: str) -> Callable[..., int] | None:
    # Other C libraries have no such functions, or decide by themselves.
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
