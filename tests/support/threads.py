"""Real threads with a database connection each, that begin at the same moment."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Barrier
from typing import TypeVar

from django.db import connections

T = TypeVar("T")
WAIT_SECONDS = 60


@dataclass(frozen=True)
class Racers:
    """A pool of ``size`` threads, which keep their connections from round to round."""

    pool: ThreadPoolExecutor
    size: int

    def race(self, *works: Callable[[], T]) -> list[T]:
        """Run all at once and return their results in order; raises what one of them raised."""
        start = Barrier(len(works))

        def run(work: Callable[[], T]) -> T:
            start.wait(WAIT_SECONDS)
            return work()

        futures = [self.pool.submit(run, work) for work in works]
        return _results(futures)


def _results(futures: Sequence[Future[T]]) -> list[T]:
    # All of them end before the first error is raised, so that no thread still writes.
    for future in futures:
        future.exception(WAIT_SECONDS)
    return [future.result() for future in futures]


@contextmanager
def racers(size: int) -> Iterator[Racers]:
    """Threads for one test; their connections are closed at its end."""
    with ThreadPoolExecutor(size) as pool:
        yield Racers(pool, size)
        # Each thread closes its own: a barrier makes sure that every thread is asked.
        Racers(pool, size).race(*[connections.close_all] * size)
