"""Calls with large results have turns: few at once, in turn for each client."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from visual_review.config.http.large_calls import LargeCalls
from visual_review.kernel.large_calls import (
    LARGE_ROWS,
    LargeCallError,
    begin_result,
    large_calls_deferred,
)


def test_a_large_result_is_deferred_only_where_that_is_asked_for() -> None:
    begin_result(pytest.fail)
    with large_calls_deferred(deferred=False):
        begin_result(pytest.fail)
    with large_calls_deferred():
        begin_result(lambda: LARGE_ROWS)
        with pytest.raises(LargeCallError):
            begin_result(lambda: LARGE_ROWS + 1)
    begin_result(pytest.fail)


def run_with(count: int, work: Callable[[LargeCalls], Awaitable[None]]) -> None:
    async def run() -> None:
        await work(LargeCalls(count))

    asyncio.run(run())


class Client:
    """Makes calls of one client; ``order`` has its name each time that one begins."""

    def __init__(self, calls: LargeCalls, name: str, order: list[str]) -> None:
        self._calls = calls
        self._name = name
        self._order = order

    async def call(self) -> None:
        async with self._calls.turn(self._name):
            self._order.append(self._name)
            await asyncio.sleep(0)


def test_no_more_than_the_number_are_made_at_once() -> None:
    async def work(calls: LargeCalls) -> None:
        running, most = 0, 0

        async def call() -> None:
            nonlocal running, most
            async with calls.turn("a"):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*(call() for _ in range(9)))
        assert most == 2

    run_with(2, work)


def test_a_client_with_many_calls_delays_another_by_one() -> None:
    order: list[str] = []

    async def work(calls: LargeCalls) -> None:
        busy, calm = Client(calls, "busy", order), Client(calls, "calm", order)
        await asyncio.gather(*(busy.call() for _ in range(20)), calm.call())

    run_with(1, work)
    assert order.index("calm") <= 2
    assert len(order) == 21


def test_a_turn_ends_with_an_error_and_with_a_cancellation() -> None:
    order: list[str] = []

    async def work(calls: LargeCalls) -> None:
        with pytest.raises(ZeroDivisionError):
            async with calls.turn("a"):
                raise ZeroDivisionError
        async with calls.turn("a"):
            waiting = asyncio.create_task(Client(calls, "waiting", order).call())
            granted = asyncio.create_task(Client(calls, "granted", order).call())
            await asyncio.sleep(0)
            waiting.cancel()
        # It was its turn just now, and it did not begin yet.
        granted.cancel()
        await asyncio.gather(waiting, granted, return_exceptions=True)
        async with asyncio.timeout(5):
            await Client(calls, "last", order).call()

    run_with(1, work)
    assert order == ["last"]
