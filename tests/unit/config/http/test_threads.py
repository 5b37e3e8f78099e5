"""Work runs in threads; each client has a share of the threads."""

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest

from visual_review.config.http import threads as module
from visual_review.config.http.threads import RequestThreads


def run_with(count: int, work: Callable[[RequestThreads], Awaitable[None]]) -> None:
    async def run() -> None:
        threads = RequestThreads(count)
        try:
            await work(threads)
        finally:
            await asyncio.to_thread(threads.close)

    asyncio.run(run())


def test_a_result_and_an_error_reach_the_caller() -> None:
    async def work(threads: RequestThreads) -> None:
        assert await threads.run("a", lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await threads.run("a", lambda: 1 // 0)
        assert await threads.run("a", lambda: 8) == 8

    run_with(1, work)


def test_one_client_cannot_hold_every_thread() -> None:
    release = threading.Event()

    async def work(threads: RequestThreads) -> None:
        held = [asyncio.create_task(threads.run("busy", release.wait)) for _ in range(20)]
        await asyncio.sleep(0)
        assert await threads.run("calm", lambda: True)
        release.set()
        await asyncio.gather(*held)

    run_with(4, work)


def test_a_client_has_no_more_than_its_share_at_once() -> None:
    running, most, lock = 0, 0, threading.Lock()
    release = threading.Event()

    def count() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        release.wait(0.02)
        with lock:
            running -= 1

    async def work(threads: RequestThreads) -> None:
        await asyncio.gather(*(threads.run("busy", count) for _ in range(12)))

    run_with(6, work)
    assert most == 2


def test_clients_take_turns_however_many_calls_of_others_wait() -> None:
    order: list[str] = []

    async def work(threads: RequestThreads) -> None:
        busy = [
            asyncio.create_task(threads.run(name, lambda: order.append("busy")))
            for name in "abcdefgh" * 10
        ]
        await asyncio.sleep(0)
        await threads.run("calm", lambda: order.append("calm"))
        await asyncio.gather(*busy)

    run_with(24, work)
    assert len(order) == 81
    # All threads had work already, and eight other clients have one turn each.
    assert order.index("calm") < 40


def test_a_call_that_is_canceled_before_its_turn_takes_none() -> None:
    release = threading.Event()

    async def work(threads: RequestThreads) -> None:
        held = asyncio.create_task(threads.run("a", release.wait))
        await asyncio.sleep(0)
        waiting = asyncio.create_task(threads.run("b", lambda: True))
        await asyncio.sleep(0)
        waiting.cancel()
        release.set()
        await asyncio.gather(held, waiting, return_exceptions=True)
        assert waiting.cancelled()
        assert await threads.run("b", lambda: True)

    run_with(1, work)


def test_threads_that_are_all_held_do_not_respond(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()

    async def work(threads: RequestThreads) -> None:
        assert await threads.respond()
        held = [asyncio.create_task(threads.run(name, release.wait)) for name in "abcd"]
        await asyncio.sleep(0)
        with monkeypatch.context() as patch:
            patch.setattr(module, "PROBE_SECONDS", 0.05)
            assert not await threads.respond()
        release.set()
        await asyncio.gather(*held)
        assert await threads.respond()

    run_with(4, work)
