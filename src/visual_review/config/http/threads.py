"""The threads in which Django and MCP run; each client has a share of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from django.db import close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper

T = TypeVar("T")
# One client leaves most threads to the others, however slow its requests are.
LARGEST_SHARE: Final = 1 / 3
PROBE_SECONDS: Final = 5.0
# No client of the network has this name.
PROBE: Final = "probe"


@dataclass
class ClientLimit:
    """The calls of a client: those that run, and how many there are with those that wait."""

    running: asyncio.Semaphore
    calls: int = 0


@dataclass
class RequestThreads:
    """``count`` threads, each with a database connection; used from one event loop only."""

    count: int
    _limits: dict[str, ClientLimit] = field(default_factory=dict)
    _connections: list[BaseDatabaseWrapper] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._share = max(1, round(self.count * LARGEST_SHARE))
        self._executor = ThreadPoolExecutor(
            self.count, "request", lambda: self._connections.extend(connections.all())
        )

    async def run(self, client: str, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread, after the calls of ``client`` that have its share of them.

        It runs to its end even if this is canceled.
        """
        async with self._turn(client):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(
                self._executor, partial(_with_fresh_connections, work)
            )

    async def respond(self) -> bool:
        """Whether a thread became free soon enough to serve another client."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self.run(PROBE, lambda: True)
        except TimeoutError:
            return False

    def close(self) -> None:
        """Wait for what is running, and close the connections; what has not begun never does."""
        self._executor.shutdown(cancel_futures=True)
        for connection in self._connections:
            # The thread has ended, and no other thread uses it.
            connection.inc_thread_sharing()
            connection.close()

    @asynccontextmanager
    async def _turn(self, client: str) -> AsyncIterator[None]:
        limit = self._limits.setdefault(client, ClientLimit(asyncio.Semaphore(self._share)))
        limit.calls += 1
        try:
            async with limit.running:
                yield
        finally:
            limit.calls -= 1
            if not limit.calls:
                del self._limits[client]


def _with_fresh_connections(work: Callable[[], T]) -> T:
    # Django does this for its own requests; MCP bypasses them.
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
