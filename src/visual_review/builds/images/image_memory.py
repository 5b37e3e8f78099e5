"""The largest images, and the memory of this process for reading images of any size at once."""

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from threading import Condition

from django.conf import settings

from visual_review.builds.models import Image
from visual_review.imagediff import Limits
from visual_review.kernel.connections import release_connection
from visual_review.kernel.errors import UnavailableError


@dataclass(eq=False)
class Request:
    """``size`` units of a budget for an organization; the request is queued until granted.

    ``passed`` are the units given to others while the request was first and too large.
    """

    organization_id: str
    size: int
    passed: int = 0
    has_turn: bool = False
    is_dropped: bool = False


class FairQueue:
    """Waiting and granted requests for a budget of ``size`` units; without threads."""

    def __init__(self, size: int) -> None:
        self.size = size
        # Of each waiting organization, in the order of turns.
        self._waiting: dict[str, deque[Request]] = {}
        self._used: Counter[str] = Counter()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def add(self, request: Request) -> None:
        self._waiting.setdefault(request.organization_id, deque()).append(request)

    def give_turns(self) -> None:
        """Give the free units to the organizations whose turn it is."""
        while request := self._next():
            organization_id = request.organization_id
            self.remove(request)
            if organization_id in self._waiting:
                self._waiting[organization_id] = self._waiting.pop(organization_id)
            request.has_turn = True
            self._used[organization_id] += request.size

    def _next(self) -> Request | None:
        free = self.size - self._used.total()
        passed: list[Request] = []
        # Sorting keeps the order of turns of equals.
        for organization_id in sorted(self._waiting, key=self._used.__getitem__):
            first = self._waiting[organization_id][0]
            if first.size <= free:
                for each in passed:
                    each.passed += first.size
                return first
            # A large request lets others pass for a while, and not forever.
            if first.passed >= first.size:
                return None
            passed.append(first)
        return None

    def end(self, request: Request) -> None:
        self._used[request.organization_id] -= request.size
        # Forget organizations without used units.
        self._used += Counter()

    def remove(self, request: Request) -> None:
        own = self._waiting[request.organization_id]
        own.remove(request)
        if not own:
            del self._waiting[request.organization_id]

    def drop_for(self, newcomer: Request) -> None:
        """Drop the newest request of the organization with most; of equals, the newcomer."""
        most = max(self._waiting.values(), key=len)
        own = self._waiting[newcomer.organization_id]
        dropped = newcomer if len(own) == len(most) else most[-1]
        self.remove(dropped)
        dropped.is_dropped = True


class SharedBudget:
    """``size`` units, such as bytes, reserved by threads before use.

    As in the queue of jobs, an organization that uses less goes first; of equals, the organization
    with the oldest turn.

    Never reserve within a reservation of the same budget: two such threads could wait for each
    other.
    """

    def __init__(self, size: int, busy: str) -> None:
        """``busy`` is the message for threads that waited too long."""
        self._queue = FairQueue(size)
        self._busy = busy
        self._changed = Condition()

    @property
    def waiting(self) -> int:
        """How many threads wait."""
        return len(self._queue)

    @contextmanager
    def reserve(
        self,
        organization_id: str,
        size: int,
        wait_seconds: float | None = None,
        longest_queue: int | None = None,
    ) -> Iterator[None]:
        """Wait for ``size`` units; a request above the whole budget waits for all of it.

        Raises UnavailableError after ``wait_seconds``, and if more than ``longest_queue`` requests
        wait and the request's organization has most of them.
        """
        request = Request(organization_id, min(size, self._queue.size))
        with self._changed:
            self._wait(request, wait_seconds, longest_queue)
        try:
            yield
        finally:
            with self._changed:
                self._queue.end(request)
                self._give_turns()

    def _wait(
        self, request: Request, wait_seconds: float | None, longest_queue: int | None
    ) -> None:
        self._queue.add(request)
        self._give_turns()
        if not request.has_turn:
            release_connection()
        if longest_queue is not None and not request.has_turn and self.waiting > longest_queue:
            self._queue.drop_for(request)
            self._give_turns()
        self._changed.wait_for(lambda: request.has_turn or request.is_dropped, wait_seconds)
        if request.has_turn:
            return
        if not request.is_dropped:
            self._queue.remove(request)
            # Others may have waited behind the failed request.
            self._give_turns()
        raise UnavailableError(self._busy)

    def _give_turns(self) -> None:
        self._queue.give_turns()
        self._changed.notify_all()


def image_limits() -> Limits:
    return Limits(side=settings.IMAGE_MAX_SIDE, pixels=settings.IMAGE_MAX_PIXELS)


@cache
def image_memory() -> SharedBudget:
    """Return the budget in bytes, shared by all threads of this process."""
    return SharedBudget(
        settings.IMAGE_MEMORY_BYTES, "The server is busy reading images. Try again in a moment."
    )


def size_of(image: Image) -> tuple[int, int]:
    return image.width, image.height
