"""Threads for database work, while the event loop handles the protocol."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper

P = ParamSpec("P")
T = TypeVar("T")


class DatabaseThreads:
    """A fixed number of threads; each keeps one database connection, like those for pages."""

    def __init__(self, count: int, name: str) -> None:
        self._connections: list[BaseDatabaseWrapper] = []
        self._pool = ThreadPoolExecutor(count, name, self._keep_connections)

    def submit(self, work: Callable[[], T]) -> "Future[T]":
        """Run ``work``, which closes expired connections itself, as Django's requests do."""
        return self._pool.submit(work)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in one of the threads; it runs to its end even if canceled."""
        call = partial(_with_fresh_connections, partial(work, *args, **kwargs))
        return await asyncio.get_running_loop().run_in_executor(self._pool, call)

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
        for connection in self._connections:
            # Its thread has ended, and no other thread uses it.
            connection.inc_thread_sharing()
            connection.close()

    def _keep_connections(self) -> None:
        self._connections += connections.all()


def _with_fresh_connections(work: Callable[[], T]) -> T:
    # Django does this for its own requests; these bypass it.
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
