"""Work goes to a thread and its result to the event loop, each as one message."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from django.db import connection

from visual_review.kernel import database_threads
from visual_review.kernel.database_threads import DatabaseThreads


def run_with(count: int, work: Callable[[DatabaseThreads], Awaitable[None]]) -> None:
    async def run() -> None:
        threads = DatabaseThreads(count, "test")
        try:
            await work(threads)
        finally:
            await asyncio.to_thread(threads.close)

    asyncio.run(run())


def started(threads: DatabaseThreads, work: Callable[[], Any]) -> "asyncio.Future[Any]":
    result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    threads.start(work, result)
    return result


def test_one_call_after_another_uses_one_thread() -> None:
    async def work(threads: DatabaseThreads) -> None:
        used = {await started(threads, threading.get_ident) for _ in range(5)}
        assert len(used) == 1

    run_with(3, work)


def test_calls_at_once_use_as_many_threads_as_there_are() -> None:
    met = threading.Barrier(3, timeout=10)

    async def work(threads: DatabaseThreads) -> None:
        calls = [started(threads, met.wait) for _ in range(3)]
        later = [started(threads, threading.get_ident) for _ in range(9)]
        assert sorted(await asyncio.gather(*calls)) == [0, 1, 2]
        assert len(set(await asyncio.gather(*later))) <= 3

    run_with(3, work)


def test_an_error_is_raised_where_the_result_is_awaited() -> None:
    async def work(threads: DatabaseThreads) -> None:
        with pytest.raises(ZeroDivisionError):
            await started(threads, lambda: 1 // 0)
        assert await started(threads, lambda: 1) == 1

    run_with(1, work)


def test_canceled_work_runs_to_its_end_and_frees_its_thread() -> None:
    release, ended = threading.Event(), threading.Event()

    def wait() -> None:
        release.wait(10)
        ended.set()

    async def work(threads: DatabaseThreads) -> None:
        started(threads, wait).cancel()
        next_call = started(threads, lambda: "next")
        release.set()
        assert await next_call == "next"
        assert ended.is_set()

    run_with(1, work)


def wait_until_closed(threads: DatabaseThreads) -> None:
    while not threads.closed:
        time.sleep(0.001)


def test_closing_waits_for_what_runs_and_cancels_what_waits() -> None:
    release = threading.Event()

    async def work() -> None:
        threads = DatabaseThreads(1, "test")
        running = started(threads, lambda: release.wait(10))
        waiting = started(threads, pytest.fail)
        closing = asyncio.create_task(asyncio.to_thread(threads.close))
        await asyncio.to_thread(wait_until_closed, threads)
        release.set()
        await closing
        assert await running
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(RuntimeError):
            started(threads, pytest.fail)

    asyncio.run(work())


@pytest.mark.django_db(transaction=True)
def test_a_thread_without_work_closes_its_connection_and_opens_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database_threads, "IDLE_SECONDS", 0.01)

    def connection_id() -> int:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid()")
            return int(cursor.fetchone()[0])

    async def work(threads: DatabaseThreads) -> None:
        former = await started(threads, connection_id)
        async with asyncio.timeout(30):
            while await started(threads, connection_id) == former:  # noqa: ASYNC110 - Nothing signals it.
                await asyncio.sleep(0.05)

    run_with(1, work)
