"""Threads for comparing images, shared by all builds of a process."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest

from visual_review.builds.comparing.pair_batches import ComparisonThreads

CORES, READERS = 2, 3
LONGEST = 10.0


@pytest.fixture
def threads() -> ComparisonThreads:
    return ComparisonThreads(CORES, READERS)


def test_every_item_has_one_result(threads: ComparisonThreads) -> None:
    assert sorted(threads.run(lambda number: number * number, range(50))) == [
        number * number for number in range(50)
    ]
    assert list(threads.run(lambda number: number, [])) == []


def test_items_are_read_in_the_callers_thread_and_only_when_there_is_room(
    threads: ComparisonThreads,
) -> None:
    readers: set[int] = set()
    ended = count(1)
    progress = [0, 0]

    def items() -> Iterator[int]:
        for number in range(40):
            readers.add(threading.get_ident())
            progress[0] = number + 1
            assert progress[0] - progress[1] <= CORES + READERS
            yield number

    def work(number: int) -> int:
        progress[1] = next(ended)
        return number

    assert len(list(threads.run(work, items()))) == 40
    assert readers == {threading.get_ident()}


def test_as_many_compute_as_there_are_cores_while_others_read(threads: ComparisonThreads) -> None:
    all_read = threading.Barrier(CORES + READERS)
    computing: list[int] = []
    most: list[int] = []

    def work(number: int) -> None:
        all_read.wait(LONGEST)
        with threads.core():
            computing.append(number)
            most.append(len(computing))
            time.sleep(0.01)
            computing.remove(number)

    list(threads.run(work, range(2 * (CORES + READERS))))
    assert max(most) <= CORES


def test_nothing_runs_any_more_when_the_results_are_closed(threads: ComparisonThreads) -> None:
    running: set[int] = set()

    def work(number: int) -> int:
        running.add(number)
        time.sleep(0.02)
        running.discard(number)
        return number

    with closing(threads.run(work, count())) as results:
        next(results)
    assert not running
    # The threads are not lost for others.
    assert sorted(threads.run(work, range(10))) == list(range(10))


def test_an_error_ends_the_results_after_what_is_running(threads: ComparisonThreads) -> None:
    running: set[int] = set()

    def work(number: int) -> int:
        running.add(number)
        try:
            if number == 7:
                raise ValueError("seven")
            time.sleep(0.01)
        finally:
            running.discard(number)
        return number

    with pytest.raises(ValueError, match="seven"):
        list(threads.run(work, count()))
    assert not running

    def items() -> Iterator[int]:
        yield 1
        raise KeyError("items")

    with pytest.raises(KeyError, match="items"):
        list(threads.run(work, items()))
    assert not running


def test_a_small_build_does_not_wait_for_a_large_one(threads: ComparisonThreads) -> None:
    """The small build ends while the large one goes on and takes as many turns."""
    compared = count()
    stop = threading.Event()

    def items() -> Iterator[None]:
        while not stop.is_set():
            next(compared)
            yield None

    def work(_item: None) -> None:
        time.sleep(0.002)

    large = threading.Thread(target=lambda: list(threads.run(work, items())))
    large.start()
    try:
        before = next(compared)
        small = 20
        list(threads.run(work, [None] * small))
        # One hands in as much as the other, so the small build waited for about as many items as
        # its own.
        assert next(compared) - before < 4 * (small + CORES + READERS)
    finally:
        stop.set()
        large.join()
