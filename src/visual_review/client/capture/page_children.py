"""Prepares a page's workers and frames of other processes before they run."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from visual_review.client.capture.devtools import BrowserError, Connection, Session

ATTACHED: Final = "Target.attachedToTarget"
FRAME: Final = "iframe"
PAGE: Final = "page"
# A worker whose script cannot be loaded never begins.
WORKER_SECONDS: Final = 5.0
SHARED: Final = "shared_worker"
WORKERS: Final = ("worker", SHARED, "service_worker")

PrepareFrame = Callable[[Session], Awaitable[None]]


class PageChildren:
    """Follows the children of ``session``, and their children in turn."""

    def __init__(
        self,
        connection: Connection,
        context: str,
        prepare_frame: PrepareFrame,
        worker_script: str,
        on_worker: Callable[[str], None],
    ) -> None:
        self._connection = connection
        self._context = context
        self._prepare_frame = prepare_frame
        self._worker_script = worker_script
        self._on_worker = on_worker
        # Tasks without a reference may disappear before their end.
        self._tasks: set[asyncio.Task[None]] = set()
        connection.browser.on(ATTACHED, self._on_shared_worker)

    def close(self) -> None:
        """Ignore children starting from now on."""
        self._connection.browser.off(ATTACHED, self._on_shared_worker)

    def follow(self, session: Session) -> None:
        session.on(ATTACHED, self._on_attached)
        session.start(
            "Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )

    def _on_shared_worker(self, event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target["type"] == SHARED and target.get("browserContextId") == self._context:
            self._on_attached(event)

    def _on_attached(self, event: dict[str, Any]) -> None:
        child = self._connection.adopt(event["sessionId"])
        target = event["targetInfo"]
        if target["type"] in WORKERS:
            self._on_worker(target["url"])
        task = asyncio.ensure_future(self._prepare(child, target["type"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _prepare(self, child: Session, kind: str) -> None:
        try:
            if kind == FRAME:
                self.follow(child)
                await self._prepare_frame(child)
            elif kind in WORKERS:
                await self._prepare_worker(child)
        except (BrowserError, TimeoutError):
            # A frame takes only some commands, and any frame or worker may have ended already.
            pass
        finally:
            # A child of any kind waits for this command.
            child.start("Runtime.runIfWaitingForDebugger")

    async def _prepare_worker(self, child: Session) -> None:
        """Stop the worker where its own script begins: before that, it has no timers to replace."""
        stopped = asyncio.Event()
        child.on("Debugger.paused", lambda _: stopped.set())
        child.start("Debugger.enable")
        child.start(
            "Debugger.setInstrumentationBreakpoint", instrumentation="beforeScriptExecution"
        )
        await child.send("Runtime.runIfWaitingForDebugger")
        try:
            async with asyncio.timeout(WORKER_SECONDS):
                await stopped.wait()
            await child.send("Runtime.evaluate", expression=self._worker_script)
        finally:
            # The worker goes on.
            child.start("Debugger.disable")


def announce_shared_workers(connection: Connection) -> None:
    """Make every shared worker wait until the page of its context has prepared it.

    A page gets no event for shared workers, because several pages may own a shared worker. Pages
    are held as well, whatever the filter says, and only attached pages can be resumed: two windows
    opened by a story at once would block the browser.
    """

    def on_attached(event: dict[str, Any]) -> None:
        if event["targetInfo"]["type"] == PAGE and event["waitingForDebugger"]:
            connection.adopt(event["sessionId"]).start("Runtime.runIfWaitingForDebugger")
            connection.browser.start("Target.detachFromTarget", sessionId=event["sessionId"])

    connection.browser.on(ATTACHED, on_attached)
    connection.browser.start(
        "Target.setAutoAttach",
        autoAttach=True,
        waitForDebuggerOnStart=True,
        flatten=True,
        filter=[{"type": SHARED}, {"type": PAGE}],
    )


def close_popups(connection: Connection) -> None:
    """Close every window opened by a page."""

    def on_created(event: dict[str, Any]) -> None:
        target = event["targetInfo"]
        if target["type"] == PAGE and target.get("openerId"):
            connection.browser.start("Target.closeTarget", targetId=target["targetId"])

    connection.browser.on("Target.targetCreated", on_created)
    connection.browser.start("Target.setDiscoverTargets", discover=True, filter=[{"type": PAGE}])
