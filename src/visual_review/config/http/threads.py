"""The threads of Django and MCP; clients take turns, and each client has a share of the threads."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from django.db import close_old_connections

T = TypeVar("T")
# One client leaves most threads to the others, however slow the client's requests are.
LARGEST_SHARE: Final = 1 / 3
PROBE_SECONDS: Final = 5.0
# No client of the network has this name.
PROBE: Final = "probe"


@dataclass
class RequestThreads:
    """``count`` threads, sharing the pool of connections; used from one event loop only."""

    count: int
    _running: Counter[str] = field(default_factory=Counter)
    # In the order of turns.
    _waiting: dict[str, deque[asyncio.Future[None]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._share = max(1, round(self.count * LARGEST_SHARE))
        self._executor = ThreadPoolExecutor(self.count, "request")

    async def run(self, client: str, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread, after calls already occupying the share of ``client``.

        The next free thread is for the client whose turn is longest ago, however many wait.

        ``work`` runs to its end even if the caller is canceled.
        """
        async with self._turn(client):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(
                # The log of the thread names the request's trace.
                self._executor,
                partial(copy_context().run, _with_fresh_connections, work),
            )

    async def respond(self) -> bool:
        """Whether a thread became free soon enough to serve another client."""
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                return await self.run(PROBE, lambda: True)
        except TimeoutError:
            return False

    def close(self) -> None:
        """Wait for running work; waiting work never begins."""
        self._executor.shutdown(cancel_futures=True)

    @asynccontextmanager
    async def _turn(self, client: str) -> AsyncIterator[None]:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, deque()).append(turn)
        self._start_waiting()
        try:
            await turn
            yield
        finally:
            # Otherwise, the caller gave up before its turn.
            if not turn.cancelled():
                self._running[client] -= 1
                # Forget clients without running calls.
                self._running += Counter()
                self._start_waiting()

    def _start_waiting(self) -> None:
        while self._running.total() < self.count:
            allowed = (each for each in self._waiting if self._running[each] < self._share)
            client = next(allowed, None)
            if client is None:
                return
            calls = self._waiting.pop(client)
            turn = calls.popleft()
            if calls:
                self._waiting[client] = calls
            if not turn.cancelled():
                self._running[client] += 1
                turn.set_result(None)


def _with_fresh_connections(work: Callable[[], T]) -> T:
    # Django closes old connections for its own requests; MCP bypasses Django's requests.
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
