"""The threads of this process for comparing images: as many at once as usable cores.

All builds being processed at the same time share the threads. Builds take turns, because each build
hands in only a few pairs at a time and the threads work in the order of arrival.
"""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from functools import cache
from threading import BoundedSemaphore
from typing import Final, TypeVar

from visual_review.imagediff.memory import keep_freed_memory
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.usable_cores import usable_cores

T = TypeVar("T")
R = TypeVar("R")
# While some threads compute, readers wait for images: remote storage has a high latency.
REMOTE_READERS: Final = 8
LOCAL_READERS: Final = 1
# Enough for the images of most pairs; the process keeps the memory while nothing is compared.
KEPT_BYTES: Final = 64 * 1024 * 1024


class ComparisonThreads:
    """Threads for reading images; as many compute at the same time as there are cores."""

    def __init__(self, cores: int, readers: int) -> None:
        self._count = cores + readers
        self._pool = ThreadPoolExecutor(self._count, "compare")
        self._cores = BoundedSemaphore(cores)

    def core(self) -> AbstractContextManager[object]:
        """Hold one of the cores while computing."""
        return self._cores

    def run(self, work: Callable[[T], R], items: Iterable[T]) -> Generator[R, None, None]:
        """Yield the results in any order; ``items`` are read in this thread, one at a time.

        Close the iterator to stop early: at its end, none of its work is running any more.
        """
        running: set[Future[R]] = set()
        try:
            for item in items:
                running.add(self._pool.submit(work, item))
                if len(running) == self._count:
                    yield from _take_results(running)
            while running:
                yield from _take_results(running)
        finally:
            for each in running:
                each.cancel()
            wait(running)


def _take_results(running: set[Future[R]]) -> list[R]:
    """Wait for the next result, and remove all finished futures."""
    done = wait(running, return_when=FIRST_COMPLETED).done
    running -= done
    return [each.result() for each in done]


@cache
def comparison_threads() -> ComparisonThreads:
    """Return the threads of this process."""
    keep_freed_memory(KEPT_BYTES)
    remote = blob_store().folder is None
    return ComparisonThreads(usable_cores(), REMOTE_READERS if remote else LOCAL_READERS)
