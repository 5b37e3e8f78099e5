"""Threads share a budget, first come, first served, whatever they need."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest

from visual_review.builds.images.image_memory import MemoryBudget
from visual_review.kernel.errors import UnavailableError

SECONDS = 60


class Worker:
    """A thread that holds a reservation until it is told to end."""

    def __init__(self, pool: ThreadPoolExecutor, budget: MemoryBudget, size: int) -> None:
        self.has_memory = Event()
        self._end = Event()
        self._done: Future[None] = pool.submit(self._run, budget, size)

    def _run(self, budget: MemoryBudget, size: int) -> None:
        with budget.reserve(size):
            self.has_memory.set()
            assert self._end.wait(SECONDS)

    def finish(self) -> None:
        assert self.has_memory.wait(SECONDS)
        self._end.set()
        self._done.result(SECONDS)


def wait_in_line(budget: MemoryBudget, count: int) -> None:
    """Return once ``count`` threads wait, so that the order of the line is known."""
    deadline = time.monotonic() + SECONDS
    while budget.waiting != count:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_what_fits_runs_at_once_and_the_rest_in_order() -> None:
    budget = MemoryBudget(100)
    with ThreadPoolExecutor(4) as pool:
        first, second = Worker(pool, budget, 60), Worker(pool, budget, 40)
        assert first.has_memory.wait(SECONDS)
        assert second.has_memory.wait(SECONDS)
        large = Worker(pool, budget, 90)
        wait_in_line(budget, 1)
        small = Worker(pool, budget, 10)
        wait_in_line(budget, 2)
        second.finish()
        # There is room for the small one, but the large one came first.
        assert not small.has_memory.wait(0.05)
        first.finish()
        large.finish()
        small.finish()


def test_what_exceeds_the_budget_runs_alone() -> None:
    budget = MemoryBudget(100)
    with ThreadPoolExecutor(2) as pool:
        huge = Worker(pool, budget, 1000)
        assert huge.has_memory.wait(SECONDS)
        with pytest.raises(UnavailableError), budget.reserve(1, wait_seconds=0):
            pass
        huge.finish()
    with budget.reserve(100, wait_seconds=0):
        pass


def test_a_long_line_is_refused_and_leaves_no_trace() -> None:
    budget = MemoryBudget(100)
    with ThreadPoolExecutor(2) as pool:
        holder = Worker(pool, budget, 100)
        assert holder.has_memory.wait(SECONDS)
        waiting = Worker(pool, budget, 50)
        wait_in_line(budget, 1)
        refused = budget.reserve(1, SECONDS, longest_line=1)
        with pytest.raises(UnavailableError, match="Try again"), refused:
            pass
        holder.finish()
        waiting.finish()
    with budget.reserve(100, wait_seconds=0):
        pass


def test_an_error_returns_the_memory() -> None:
    budget = MemoryBudget(100)
    for _ in range(3):
        with pytest.raises(ValueError, match="broken"), budget.reserve(80):
            raise ValueError("broken")
