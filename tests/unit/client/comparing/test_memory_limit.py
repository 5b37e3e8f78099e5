"""Comparisons share the machine's memory, and the largest one runs alone."""

import threading

from visual_review.client.comparing.memory_limit import MemoryLimit, usable_memory


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
