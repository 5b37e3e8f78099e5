"""Renders the frames of a page on demand, instead of sixty times a second."""

import asyncio
import sys
from collections.abc import Awaitable
from functools import partial
from typing import Any, Final, TypeVar

from visual_review.client.capture.devtools import BrowserError, Session

# Called by the page when waiting for a frame.
BINDING: Final = "__visualReviewFrame"
SHOWN: Final = "shown"
COMMAND: Final = "HeadlessExperimental.beginFrame"
# For transitions, observers and videos, which wait for frames without our scripts.
TICK: Final = 1 / 60

FLAGS: Final = (
    "--enable-begin-frame-control",
    "--run-all-compositor-stages-before-draw",
    "--disable-new-content-rendering-timeout",
)
# The headless shell of macOS renders by itself only.
SUPPORTED: Final = sys.platform == "linux"

T = TypeVar("T")


def target_parameters(controlled: bool) -> dict[str, object]:  # noqa: FBT001 -- The only one.
    """Return parameters of ``Target.createTarget`` for a page that renders on request."""
    return {"enableBeginFrameControl": True} if controlled else {}


class Frames:
    """The frames of one page, whose target was created with frame control."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wake = asyncio.Event()
        self._wanted = False
        # The documents waiting for shown frames, by their execution contexts.
        self._showing: set[tuple[str | None, int]] = set()
        self._frame: asyncio.Future[dict[str, Any]] | None = None
        self.listen(session)

    def listen(self, session: Session) -> None:
        """Render frames for ``session``, too: a frame inside the page."""
        session.on("Runtime.bindingCalled", partial(self._on_binding, session))

    def _on_binding(self, session: Session, event: dict[str, Any]) -> None:
        if event["name"] == BINDING:
            self._wanted = True
            change = self._showing.add if event["payload"] == SHOWN else self._showing.discard
            change((session.id, event["executionContextId"]))
            self._wake.set()

    async def drive(self, awaitable: Awaitable[T], *, shown: bool = False) -> T:
        """Return the result of ``awaitable``, with frames until then.

        Unless ``shown``, frames run everything that scripts can notice, and draw nothing. The page
        requests shown frames where even scripts notice the difference.
        """
        work = asyncio.ensure_future(awaitable)
        work.add_done_callback(self._on_done)
        try:
            while not work.done():
                if await self._is_due() and not work.done():
                    self._begin(noDisplayUpdates=not shown and not self._showing)
            return await work
        finally:
            work.cancel()

    def _on_done(self, _: object) -> None:
        self._wake.set()

    async def _is_due(self) -> bool:
        """Wait for the next event; return whether a frame is due."""
        busy = self._frame is not None and not self._frame.done()
        if self._wanted and not busy:
            return True
        self._wake.clear()
        try:
            async with asyncio.timeout(None if busy else TICK):
                await self._wake.wait()
        except TimeoutError:
            return True
        return False

    def _begin(self, **parameters: object) -> "asyncio.Future[dict[str, Any]]":
        self._wanted = False
        self._frame = self._session.start(COMMAND, **parameters)
        self._frame.add_done_callback(self._on_done)
        return self._frame

    async def screenshot(self) -> str | None:
        """Return a PNG of the page, in base64. Raises ``BrowserError``."""
        await self.finish_frame()
        frame = self._begin(screenshot={"format": "png", "optimizeForSpeed": True})
        data: str | None = (await frame).get("screenshotData")
        return data

    async def finish_frame(self) -> None:
        """Wait for the end of a running frame; two frames at once are an error."""
        if self._frame is not None:
            try:
                await self._frame
            except BrowserError:
                # The next command to the page fails in the same way.
                return
