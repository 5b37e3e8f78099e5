"""Threads for what waits on the database, while the protocol is spoken in the event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """A fixed number of threads; each keeps one database connection, like those of the pages."""

    def __init__(self, count: int) -> None:
        self._kept: list[BaseDatabaseWrapper] = []
        self._pool = ThreadPoolExecutor(count, "mcp", self._keep_connections)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of ``work``, which runs in one of the threads to its end even if cancelled."""
        call = partial(_with_fresh_connections, partial(work, *args, **kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        for kept in self._kept:
            # Its thread has ended, and nobody else has it.
            kept.inc_thread_sharing()
            kept.close()

    def _keep_connections(self) -> None:
        self._kept += connections.all()


def _with_fresh_connections(work: Callable[[], T]) -> T:
    # Django does this around its own requests, and these do not pass through it.
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
