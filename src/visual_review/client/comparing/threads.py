"""Do the same work for many items on several threads, within the usable memory."""

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Final, Generic, TypeVar

# Bytes, where the system does not report the size of the memory.
_ASSUMED: Final = 2 * 1024**3
_SHARE: Final = 2
Item = TypeVar("Item")
Result = TypeVar("Result")
# How often progress is reported, in seconds.
INTERVAL: Final = 0.1


class MemoryLimit:
    """Makes reservations wait for each other; a reservation above the limit runs alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._reserved = 0
        self._changed = threading.Condition()

    @contextmanager
    def reserve(self, count: int) -> Iterator[None]:
        wanted = min(count, self._most)
        with self._changed:
            self._changed.wait_for(lambda: self._reserved + wanted <= self._most)
            self._reserved += wanted
        try:
            yield
        finally:
            with self._changed:
                self._reserved -= wanted
                self._changed.notify_all()


def usable_memory() -> int:
    """Return half of the machine's memory, in bytes."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // _SHARE
    except (AttributeError, ValueError, OSError):
        return _ASSUMED // _SHARE


def map_in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    threads: int,
    report: Callable[[int], None],
) -> list[Result]:
    """Return the results in the order of the items; ``report`` gets the number done so far.

    After the first error, no further item begins; running items are finished.
    """
    if threads == 1 or len(items) == 1:
        results = []
        for item in items:
            results.append(work(item))
            report(len(results))
        return results
    return _Crew(work, items).run(min(threads, len(items)), report)


class _Crew(Generic[Item, Result]):
    """Threads that take the next item as soon as they are free."""

    def __init__(self, work: Callable[[Item], Result], items: Sequence[Item]) -> None:
        self._work = work
        self._results: dict[int, Result] = {}
        self._waiting: Iterator[tuple[int, Item]] = iter(enumerate(items))
        self._lock = threading.Lock()
        self._stopped = threading.Event()

    def run(self, threads: int, report: Callable[[int], None]) -> list[Result]:
        with ThreadPoolExecutor(threads) as pool:
            crew = [pool.submit(self._work_on) for _ in range(threads)]
            try:
                while wait(crew, INTERVAL, FIRST_EXCEPTION).not_done:
                    report(len(self._results))
                    if self._stopped.is_set():
                        break
            finally:
                # Also after Ctrl-C: no thread may write to a report being deleted.
                self._stopped.set()
        for member in crew:
            member.result()
        return [self._results[index] for index in range(len(self._results))]

    def _work_on(self) -> None:
        try:
            while not self._stopped.is_set():
                with self._lock:
                    found = next(self._waiting, None)
                if found is None:
                    return
                index, item = found
                self._results[index] = self._work(item)
        except BaseException:
            self._stopped.set()
            raise
