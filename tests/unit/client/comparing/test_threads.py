"""The same work on several threads: results in order, ended by the first error."""

import threading

import pytest

from visual_review.client.comparing.threads import MemoryLimit, map_in_order, usable_memory


class BrokenItemError(Exception):
    """Raised by the work of these tests."""


def test_results_are_in_the_order_of_the_items() -> None:
    gate = threading.Event()

    def work(item: int) -> int:
        # The first item ends last.
        if item == 0:
            gate.wait(10)
        elif item == 49:
            gate.set()
        return item * 2

    done: list[int] = []
    assert map_in_order(work, range(50), 4, done.append) == [item * 2 for item in range(50)]


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error_ends_it(threads: int) -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 5:
            raise BrokenItemError

    with pytest.raises(BrokenItemError):
        map_in_order(work, range(100_000), threads, lambda _: None)
    assert len(begun) < 100_000


def test_an_interrupt_ends_it_when_what_has_begun_is_finished() -> None:
    running = threading.Event()
    finished: list[int] = []

    def work(item: int) -> None:
        running.set()
        threading.Event().wait(0.01)
        finished.append(item)

    def interrupt(_: int) -> None:
        assert running.wait(10)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        map_in_order(work, range(100_000), 2, interrupt)
    count = len(finished)
    assert 0 < count < 100_000
    threading.Event().wait(0.05)
    assert len(finished) == count


def test_never_more_is_reserved_than_there_is() -> None:
    limit, lock = MemoryLimit(100), threading.Lock()
    running: list[int] = []
    seen: list[int] = []

    def work(count: int) -> None:
        with limit.reserve(count):
            with lock:
                running.append(count)
                seen.append(sum(min(each, 100) for each in running))
            threading.Event().wait(0.005)
            with lock:
                running.remove(count)

    threads = [threading.Thread(target=work, args=(count,)) for count in (60, 500, 30, 70, 10) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 15
    assert max(seen) <= 100


def test_the_machine_has_memory() -> None:
    assert usable_memory() > 64 * 1024 * 1024
