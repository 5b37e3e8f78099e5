"""Turns of calls with large results: few at once, those of several clients in turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from visual_review.config.http.fair_queue import FairQueue, Turn

# While one waits for the database, the other has the interpreter. More would only take memory.
MOST_AT_ONCE: Final = 2

# It becomes the turn that began for it.
Place = asyncio.Future[Turn[Any]]


class LargeCalls:
    """Used from one event loop only. A call that waits holds no thread."""

    def __init__(self, count: int = MOST_AT_ONCE) -> None:
        # One client may have every turn: the next one that ends is another's.
        self._queue: FairQueue[Place] = FairQueue(count, count)
        self._free = count

    @asynccontextmanager
    async def turn(self, client: str) -> AsyncIterator[None]:
        """Wait for a turn of ``client``, which ends with the block."""
        place: Place = asyncio.get_running_loop().create_future()
        self._queue.put(client, place)
        self._start_waiting()
        try:
            await place
            yield
        finally:
            # Canceled before its turn, it has none to end.
            if place.done() and not place.cancelled():
                self._queue.finish(place.result())
                self._free += 1
                self._start_waiting()

    def _start_waiting(self) -> None:
        while self._free and (turn := self._queue.take()):
            if turn.item.done():
                self._queue.finish(turn)
            else:
                self._free -= 1
                turn.item.set_result(turn)
