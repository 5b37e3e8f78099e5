"""Keep the memory of images between comparisons.

A comparison allocates some large buffers and frees them at its end. The C library returns them to
the system each time, which then clears them again page by page: that takes longer than to inflate
the images into them.
"""

import ctypes
import sys
from typing import Final

# Parameters of mallopt(3) in glibc.
M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
M_ARENA_MAX: Final = -8


def keep_freed_memory(most: int) -> bool:
    """Let this process keep up to ``most`` freed bytes; return whether the system can do that.

    Called before threads are started, all of them share what is kept.
    """
    # Other C libraries have no such function, or decide by themselves.
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is None:
        return False
    settings = ((M_ARENA_MAX, 1), (M_MMAP_THRESHOLD, most), (M_TRIM_THRESHOLD, most))
    results = [mallopt(name, value) for name, value in settings]
    return results == [1] * len(settings)
