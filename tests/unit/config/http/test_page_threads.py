"""Work runs in threads, in turn for each client."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from visual_review.config.http import page_threads
from visual_review.config.http.page_threads import NotWantedError, PageThreads


def run_with(count: int, work: Callable[[PageThreads], Awaitable[None]]) -> None:
    async def run() -> None:
        threads = PageThreads(count)
        try:
            await work(threads)
        finally:
            await asyncio.to_thread(threads.close)

    asyncio.run(run())


def test_a_result_and_an_error_reach_the_caller() -> None:
    async def work(threads: PageThreads) -> None:
        assert await threads.run("a", lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await threads.run("a", lambda: 1 // 0)
        assert await threads.run("a", lambda: 8) == 8

    run_with(1, work)


def test_a_client_with_many_requests_delays_another_by_one() -> None:
    order: list[str] = []

    async def work(threads: PageThreads) -> None:
        busy = [threads.run("busy", lambda: order.append("busy")) for _ in range(20)]
        await asyncio.gather(*busy, threads.run("calm", lambda: order.append("calm")))

    run_with(1, work)
    assert order.index("calm") <= 2


def test_work_whose_client_is_gone_does_not_begin() -> None:
    async def work(threads: PageThreads) -> None:
        with pytest.raises(NotWantedError):
            await threads.run("a", pytest.fail, lambda: False)
        assert await threads.run("a", lambda: "next") == "next"

    run_with(1, work)


def test_threads_that_are_all_held_do_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    async def work(threads: PageThreads) -> None:
        assert await threads.respond()
        held = [asyncio.create_task(threads.run(name, release.wait)) for name in "abcd"]
        await asyncio.sleep(0)
        with monkeypatch.context() as patch:
            patch.setattr(page_threads, "PROBE_SECONDS", 0.05)
            assert not await threads.respond()
        release.set()
        await asyncio.gather(*held)
        assert await threads.respond()

    run_with(4, work)


def test_one_client_cannot_hold_every_thread() -> None:
    release = threading.Event()

    async def work(threads: PageThreads) -> None:
        held = [asyncio.create_task(threads.run("busy", release.wait)) for _ in range(20)]
        await asyncio.sleep(0)
        assert await threads.run("calm", lambda: True)
        release.set()
        await asyncio.gather(*held)

    run_with(4, work)
