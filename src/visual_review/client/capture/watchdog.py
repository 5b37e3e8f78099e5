"""Ends the wait for a page by the work that it could do, never by the clock alone.

A browser on a busy machine needs minutes for a second's work elsewhere. A limit therefore counts
the time in which the page had a core; an endless script is ended by the CPU time of its process.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

from visual_review.client.capture import errors
from visual_review.client.capture.devtools import BrowserProcess, Session

T = TypeVar("T")
# Seconds between two looks at a page during a wait.
STEP: Final = 2.0
# A page with a slower response runs a script, or has no core.
BEAT: Final = 1.0
# Even with 2 % of a core, a page uses CPU time or sends an event within so many seconds.
STALLED: Final = 60.0
RENDERER: Final = "renderer"
# A function of limits.js, missing in an empty page.
SHARE: Final = "globalThis.__visualReview?.share?.() ?? 1"


class Watchdog:
    """Waits for one page, the target of ``session`` in ``browser``."""

    def __init__(self, browser: BrowserProcess, session: Session) -> None:
        self._connection = browser.connection
        self._session = session

    async def wait(self, awaitable: Awaitable[T], limit: float, blocked_after: float) -> T:
        """Return the result of ``awaitable``.

        Raises ``TimeoutError`` after ``limit`` seconds that the page could use, and ``PageError``
        for a script that does not return within ``blocked_after`` seconds of CPU time.
        """
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(awaitable)
        left = limit
        try:
            while True:
                started = loop.time()
                await asyncio.wait({work}, timeout=min(STEP, max(left, 0), blocked_after / 2))
                if work.done():
                    return await work
                if left <= 0:
                    raise TimeoutError
                share = await self._find_share(work, blocked_after)
                left -= (loop.time() - started) * share
        finally:
            work.cancel()

    async def count(self, seconds: float, blocked_after: float) -> float:
        """Return how much of the past ``seconds`` the page could use. Raises ``PageError``."""
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        return seconds * await self._find_share(never, blocked_after)

    async def _find_share(self, work: "asyncio.Future[T]", blocked_after: float) -> float:
        """Return the page's share of a core, after a response or once ``work`` is done."""
        beat = self._session.start("Runtime.evaluate", expression=SHARE, returnByValue=True)
        progress = _Progress(asyncio.get_running_loop().time())
        while True:
            waited: set[asyncio.Future[Any]] = {work, beat}
            await asyncio.wait(waited, timeout=BEAT, return_when=asyncio.FIRST_COMPLETED)
            if beat.done():
                return _read_share(beat)
            if work.done():
                return 1.0
            used = await self._measure_cpu()
            if progress.update(used, self._connection.events, asyncio.get_running_loop().time()):
                raise errors.stalled(STALLED)
            if progress.used > blocked_after:
                self._session.start("Runtime.terminateExecution")
                raise errors.blocked(blocked_after)

    async def _measure_cpu(self) -> float:
        """Return the CPU seconds of the browser's renderers; 0 if the browser does not respond."""
        command = self._connection.browser.start("SystemInfo.getProcessInfo")
        await asyncio.wait({command}, timeout=BEAT)
        if not command.done() or command.exception() is not None:
            command.cancel()
            return 0.0
        processes = command.result()["processInfo"]
        return sum(float(each["cpuTime"]) for each in processes if each["type"] == RENDERER)


class _Progress:
    """The work of the browser while a page did not respond."""

    def __init__(self, now: float) -> None:
        self.used = 0.0
        self._first: float | None = None
        self._last: tuple[float, int] = (0.0, 0)
        self._moved = now

    def update(self, cpu: float, events: int, now: float) -> bool:
        """Return whether nothing has moved for too long."""
        if cpu and self._first is None:
            self._first = cpu
        self.used = max(self.used, cpu - (self._first or 0.0))
        if (cpu, events) != self._last:
            self._last, self._moved = (cpu, events), now
        return now - self._moved > STALLED


def _read_share(beat: "asyncio.Future[dict[str, object]]") -> float:
    if beat.exception() is not None:
        # The page is being loaded, or lost: the awaited command fails, too.
        return 1.0
    result = beat.result().get("result")
    share = result.get("value") if isinstance(result, dict) else None
    return min(1.0, max(0.0, float(share))) if isinstance(share, int | float) else 1.0
