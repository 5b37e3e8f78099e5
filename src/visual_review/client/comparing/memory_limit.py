"""Bound the memory of concurrent comparisons."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

# Bytes, where the system does not report the size of the memory.
_ASSUMED: Final = 2 * 1024**3
_SHARE: Final = 2


class MemoryLimit:
    """Makes reservations wait for each other; a reservation above the limit runs alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._reserved = 0
        self._changed = threading.Condition()

    @contextmanager
    def reserve(self, count: int) -> Iterator[None]:
        wanted = min(count, self._most)
        with self._changed:
            self._changed.wait_for(lambda: self._reserved + wanted <= self._most)
            self._reserved += wanted
        try:
            yield
        finally:
            with self._changed:
                self._reserved -= wanted
                self._changed.notify_all()


def usable_memory() -> int:
    """Return half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _SHARE
    except (AttributeError, ValueError, OSError):
        return _ASSUMED // _SHARE
