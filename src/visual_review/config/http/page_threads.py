"""The threads in which Django runs; requests of several clients get them in turn."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from visual_review.config.http.fair_queue import FairQueue, Turn
from visual_review.kernel.database_threads import DatabaseThreads

T = TypeVar("T")
# One client leaves some threads to the others, however slow its requests are.
LARGEST_SHARE: Final = 0.75
# More would slow the others down by taking the interpreter's lock from them.
DEFERRED_SHARE: Final = 0.05
PROBE_SECONDS: Final = 5.0
# No client of the network has this name.
PROBE: Final = "probe"


class NotWantedError(Exception):
    """The work was not begun, because its client is gone."""


@dataclass(frozen=True)
class Call:
    """Work that waits for a thread, and the future of its result."""

    work: Callable[[], Any]
    result: "asyncio.Future[Any]"
    is_wanted: Callable[[], bool] = field(default=lambda: True)


class PageThreads:
    """A fixed number of threads; used from one event loop only."""

    def __init__(self, count: int) -> None:
        self._pool = DatabaseThreads(count, "page")
        self._queue: FairQueue[Call] = FairQueue(
            max(1, round(count * LARGEST_SHARE)), max(1, round(count * DEFERRED_SHARE))
        )
        self._free = count

    async def run(
        self,
        client: str,
        work: Callable[[], T],
        is_wanted: Callable[[], bool] = lambda: True,
        *,
        deferred: bool = False,
    ) -> T:
        """Run ``work`` in a thread when it is the turn of ``client``.

        It runs to its end even if this is canceled. Raises NotWantedError, and does not run it, if
        ``is_wanted`` returns False by then.
        """
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.put(client, Call(work, result, is_wanted), deferred=deferred)
        self._start_waiting()
        return await result

    async def respond(self) -> bool:
        """Whether a thread became free soon enough to serve another client."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self.run(PROBE, lambda: True)
        except TimeoutError:
            return False

    def close(self) -> None:
        self._pool.close()

    def _start_waiting(self) -> None:
        while self._free and (turn := self._queue.take()):
            call = turn.item
            if call.result.done():
                self._queue.finish(turn)
            elif not call.is_wanted():
                self._queue.finish(turn)
                call.result.set_exception(NotWantedError())
            else:
                self._free -= 1
                self._start(turn)

    def _start(self, turn: Turn[Call]) -> None:
        self._pool.start(turn.item.work, turn.item.result, partial(self._finish, turn))

    def _finish(self, turn: Turn[Call]) -> None:
        self._free += 1
        self._queue.finish(turn)
        self._start_waiting()
