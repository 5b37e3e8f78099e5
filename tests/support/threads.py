"""Threads with a database connection each, started at the same moment."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Barrier
from typing import TypeVar

from django.db import connection, connections

T = TypeVar("T")
WAIT_SECONDS = 60


@dataclass(frozen=True)
class Racers:
    """A pool of ``size`` threads; a thread keeps its connection between rounds."""

    pool: ThreadPoolExecutor
    size: int

    def race(self, *works: Callable[[], T]) -> list[T]:
        """Run all at the same time; return their results in order, or raise the first error."""
        start = Barrier(len(works))

        def run(work: Callable[[], T]) -> T:
            start.wait(WAIT_SECONDS)
            return work()

        futures = [self.pool.submit(run, work) for work in works]
        return _results(futures)


def _results(futures: Sequence[Future[T]]) -> list[T]:
    # Wait for all of them before raising an error, so that no thread is still writing.
    for future in futures:
        future.exception(WAIT_SECONDS)
    return [future.result() for future in futures]


@contextmanager
def racers(size: int) -> Iterator[Racers]:
    """Provide threads for one test, and close their connections at the end."""
    with ThreadPoolExecutor(size) as pool:
        yield Racers(pool, size)
        # Each thread closes its own connections: the barrier gives every thread one call.
        Racers(pool, size).race(*[connections.close_all] * size)


def wait_until_another_waits_for_me() -> None:
    """Return once another connection waits for a lock of this connection."""
    question = (
        "SELECT count(*) FROM pg_locks"
        " WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    )
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        with connection.cursor() as cursor:
            cursor.execute(question)
            row = cursor.fetchone()
        if row is not None and row[0]:
            return
        time.sleep(0.01)
    raise AssertionError("No connection waited.")
