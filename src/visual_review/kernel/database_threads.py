"""Threads for database work, while the event loop handles the protocol."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, ParamSpec, TypeVar

from django.db import close_old_connections, connections
from django.db.backends.base.base import BaseDatabaseWrapper

P = ParamSpec("P")
T = TypeVar("T")
# A thread that has nothing to do for so long closes its connection.
IDLE_SECONDS: Final = 60.0


def do_nothing() -> None:
    pass


@dataclass(frozen=True, slots=True)
class Job:
    """Work, what gets its result, and what is called after it in the event loop."""

    work: Callable[[], Any]
    result: "asyncio.Future[Any]"
    on_done: Callable[[], None]


class DatabaseThreads:
    """A fixed number of threads; each keeps a database connection while it has work now and then.

    Used from one event loop at a time. The thread that was busy last gets the next work, so that as
    few connections as possible are open. One message each way: the work
    goes to a thread that waits for it, and its result to the event loop.
    """

    def __init__(self, count: int, name: str) -> None:
        self._count = count
        self._name = name
        self._threads: list[WorkThread] = []
        self._idle: list[WorkThread] = []
        self._waiting: deque[Job] = deque()
        self.closed = False

    def start(
        self,
        work: Callable[[], T],
        result: "asyncio.Future[T]",
        on_done: Callable[[], None] = do_nothing,
    ) -> None:
        """Run ``work``, which closes expired connections itself, as Django's requests do.

        It runs to its end even if the future is canceled.
        """
        if self.closed:
            raise RuntimeError("The threads have ended.")
        job = Job(work, result, on_done)
        thread = self._free_thread()
        if thread is None:
            self._waiting.append(job)
        else:
            thread.give(job)

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run ``work`` in one of the threads; it runs to its end even if canceled."""
        result: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self.start(partial(_with_fresh_connections, partial(work, *args, **kwargs)), result)
        return await result

    def close(self) -> None:
        """Wait for what is running, and close the connections; what has not begun never does."""
        self.closed = True
        for thread in self._threads:
            thread.give(None)
        for thread in self._threads:
            thread.join()
            thread.close_connections()
        while self._waiting:
            result = self._waiting.popleft().result
            with suppress(RuntimeError):
                result.get_loop().call_soon_threadsafe(result.cancel)

    def _free_thread(self) -> "WorkThread | None":
        if self._idle:
            return self._idle.pop()
        if len(self._threads) >= self._count:
            return None
        thread = WorkThread(f"{self._name}_{len(self._threads)}", self._take_next)
        self._threads.append(thread)
        thread.start()
        return thread

    def _take_next(self, thread: "WorkThread") -> None:
        """Give the thread what waits, in the event loop."""
        if self._waiting and not self.closed:
            thread.give(self._waiting.popleft())
        else:
            self._idle.append(thread)


class WorkThread(threading.Thread):
    """A thread with its own queue; ``on_free`` is called in the event loop after each job."""

    def __init__(self, name: str, on_free: Callable[["WorkThread"], None]) -> None:
        # Without an orderly end of the process nothing waits for it.
        super().__init__(name=name, daemon=True)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._on_free = on_free
        self._connections: list[BaseDatabaseWrapper] = []

    def give(self, job: Job | None) -> None:
        """Run the job after those that it has; None ends the thread."""
        self._jobs.put(job)

    def run(self) -> None:
        self._connections += connections.all()
        while (job := self._next_job()) is not None:
            value, error = None, None
            try:
                value = job.work()
            except BaseException as raised:  # noqa: BLE001 - It is raised where it is awaited.
                error = raised
            # A loop that is closed has no one who waits.
            with suppress(RuntimeError):
                job.result.get_loop().call_soon_threadsafe(self._finish, job, value, error)
            # Nothing of a response may stay until the next request.
            del job, value, error

    def _next_job(self) -> Job | None:
        try:
            return self._jobs.get(timeout=IDLE_SECONDS)
        except Empty:
            # So many threads may never be needed at once again.
            connections.close_all()
            return self._jobs.get()

    def close_connections(self) -> None:
        for connection in self._connections:
            # The thread has ended, and no other thread uses it.
            connection.inc_thread_sharing()
            connection.close()

    def _finish(self, job: Job, value: object, error: BaseException | None) -> None:
        self._on_free(self)
        if not job.result.done():
            if error is None:
                job.result.set_result(value)
            else:
                job.result.set_exception(error)
        job.on_done()


def _with_fresh_connections(work: Callable[[], T]) -> T:
    # Django does this for its own requests; these bypass it.
    close_old_connections()
    try:
        return work()
    finally:
        close_old_connections()
