"""The memory that this process may use at once to read images of any size."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Condition

from django.conf import settings

from visual_review.builds.models import Image
from visual_review.kernel.errors import UnavailableError


class MemoryBudget:
    """Bytes that threads reserve before they use them; those that must wait take turns.

    First come, first served: what needs much is never overtaken forever by what needs little.
    Never reserve within a reservation, since two threads that do could wait for each other.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._free = size
        self._line: deque[object] = deque()
        self._changed = Condition()

    @property
    def waiting(self) -> int:
        """How many threads wait in line."""
        return len(self._line)

    @contextmanager
    def reserve(
        self, size: int, wait_seconds: float | None = None, longest_line: int | None = None
    ) -> Iterator[None]:
        """Wait for ``size`` bytes; what exceeds the whole budget waits for all of it.

        Raises UnavailableError if ``longest_line`` others wait already, or after ``wait_seconds``.
        """
        wanted = min(size, self._size)
        self._take(wanted, wait_seconds, longest_line)
        try:
            yield
        finally:
            with self._changed:
                self._free += wanted
                self._changed.notify_all()

    def _take(self, wanted: int, wait_seconds: float | None, longest_line: int | None) -> None:
        place = object()
        with self._changed:
            if longest_line is not None and len(self._line) >= longest_line:
                raise _busy_error()
            self._line.append(place)
            try:
                is_next = self._changed.wait_for(
                    lambda: self._line[0] is place and self._free >= wanted, wait_seconds
                )
                if not is_next:
                    raise _busy_error()
                self._free -= wanted
            finally:
                self._line.remove(place)
                self._changed.notify_all()


def _busy_error() -> UnavailableError:
    return UnavailableError("The server is busy reading images. Try again in a moment.")


@cache
def image_memory() -> MemoryBudget:
    """Return the budget that all threads of this process share."""
    return MemoryBudget(settings.IMAGE_MEMORY_BYTES)


def size_of(image: Image) -> tuple[int, int]:
    return image.width, image.height
