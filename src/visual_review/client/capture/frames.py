"""Renders the frames of a page when it needs them, instead of sixty times a second."""

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

from visual_review.client.capture.devtools import BrowserError, Session

# The page calls it when it waits for a frame.
BINDING: Final = "__visualReviewFrame"
COMMAND: Final = "HeadlessExperimental.beginFrame"
# For what waits for frames without our scripts: transitions, observers, videos.
TICK: Final = 1 / 60

T = TypeVar("T")


class Frames:
    """The frames of one page, whose target was created with control over them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wake = asyncio.Event()
        self._wanted = False
        self._frame: asyncio.Future[dict[str, Any]] | None = None
        session.on("Runtime.bindingCalled", self._on_binding)

    def _on_binding(self, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self._wanted = True
            self._wake.set()

    async def drive(self, awaitable: Awaitable[T]) -> T:
        """Return what ``awaitable`` returns, with frames until then."""
        work = asyncio.ensure_future(awaitable)
        work.add_done_callback(self._on_done)
        try:
            while not work.done():
                await self._wait()
                if not work.done() and not self._is_busy():
                    self._begin()
            return await work
        finally:
            work.cancel()

    def _is_busy(self) -> bool:
        return self._frame is not None and not self._frame.done()

    def _on_done(self, _: object) -> None:
        self._wake.set()

    async def _wait(self) -> None:
        """Return when a frame may be due, or the work done."""
        self._wake.clear()
        if self._wanted and not self._is_busy():
            return
        try:
            async with asyncio.timeout(None if self._is_busy() else TICK):
                await self._wake.wait()
        except TimeoutError:
            return

    def _begin(self, **parameters: object) -> "asyncio.Future[dict[str, Any]]":
        self._wanted = False
        self._frame = self._session.start(COMMAND, **parameters)
        self._frame.add_done_callback(self._on_done)
        return self._frame

    async def screenshot(self) -> str | None:
        """Return a PNG of what the page shows, in base64. Raises ``BrowserError``."""
        await self.finish_frame()
        frame = self._begin(screenshot={"format": "png", "optimizeForSpeed": True})
        data: str | None = (await frame).get("screenshotData")
        return data

    async def finish_frame(self) -> None:
        """Wait for the end of a frame that was begun; two at once are an error."""
        if self._frame is not None:
            try:
                await self._frame
            except BrowserError:
                # Whoever uses the page next notices the same.
                return
