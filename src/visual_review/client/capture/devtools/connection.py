"""Commands and events of the DevTools protocol, for the browser and each of its pages."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable
from typing import Any, Final

from visual_review.client.capture.devtools.pipe import END

Result = dict[str, Any]
OnEvent = Callable[[dict[str, Any]], None]
Write = Callable[[bytes], None]
CRASHED: Final = "the page crashed"
CLOSED: Final = "the page closed itself"


class BrowserError(Exception):
    """The browser did not execute a command; the message has one line."""


class ConnectionLostError(BrowserError):
    """The browser ended, or closed its side of the pipe."""


class TargetLostError(BrowserError):
    """The page crashed or was closed; the browser itself still runs."""


class ProtocolError(BrowserError):
    """The browser reported a failed command."""

    def __init__(self, method: str, message: str) -> None:
        super().__init__(f"{message} ({method})")
        self.method = method
        self.message = message


class Session:
    """Sends commands to one target and passes on its events."""

    def __init__(self, connection: "Connection", identifier: str | None) -> None:
        self.id = identifier
        self.lost: BrowserError | None = None
        self._connection = connection
        self._listeners: defaultdict[str, list[OnEvent]] = defaultdict(list)
        self._pending: set[asyncio.Future[Result]] = set()

    def on(self, event: str, callback: OnEvent) -> None:
        """Call ``callback`` with the parameters of each ``event``."""
        self._listeners[event].append(callback)

    def off(self, event: str, callback: OnEvent) -> None:
        """Stop calling ``callback``, as registered with ``on``."""
        self._listeners[event].remove(callback)

    async def send(self, method: str, **parameters: object) -> Result:
        """Return the result of a command. Raises ``BrowserError``."""
        return await self.start(method, **parameters)

    def start(self, method: str, **parameters: object) -> "asyncio.Future[Result]":
        """Send a command at once; the future has the result or a ``BrowserError``."""
        future = self._connection.request(self.id, method, parameters, self.lost)
        self._pending.add(future)
        future.add_done_callback(self._pending.discard)
        return future

    def dispatch(self, event: str, parameters: dict[str, Any]) -> None:
        for callback in tuple(self._listeners.get(event, ())):
            callback(parameters)

    def fail(self, error: BrowserError) -> None:
        """Make all commands waiting for this target fail, now and later."""
        self.lost = self.lost or error
        for future in tuple(self._pending):
            if not future.done():
                future.set_exception(error)


class Connection:
    """The browser's end of the protocol; ``browser`` is the session of the browser itself."""

    def __init__(self, write: Write) -> None:
        self.browser = Session(self, None)
        self._write = write
        self._sessions: dict[str, Session] = {}
        self._pending: dict[int, tuple[str, asyncio.Future[Result]]] = {}
        self._last = 0
        # How many events the browser has sent.
        self.events = 0

    async def attach(self, target: str) -> Session:
        """Return a session of a page or another target. Raises ``BrowserError``."""
        result = await self.browser.send("Target.attachToTarget", targetId=target, flatten=True)
        return self.adopt(result["sessionId"])

    def adopt(self, identifier: str) -> Session:
        """Return the session with an identifier announced by the browser."""
        session = self._sessions.get(identifier)
        if session is None:
            session = self._sessions[identifier] = Session(self, identifier)
            if self.browser.lost is not None:
                session.fail(self.browser.lost)
        return session

    def request(
        self,
        session: str | None,
        method: str,
        parameters: dict[str, object],
        lost: BrowserError | None,
    ) -> "asyncio.Future[Result]":
        future: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        # A failure after its waiter gave up needs no warning.
        future.add_done_callback(_read_exception)
        lost = lost or self.browser.lost
        if lost is not None:
            future.set_exception(lost)
            return future
        self._last += 1
        message = {"id": self._last, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        self._pending[self._last] = method, future
        self._write(json.dumps(message).encode() + END)
        return future

    def receive(self, message: dict[str, Any]) -> None:
        """Take one message of the browser."""
        if "id" in message:
            self._complete(message)
            return
        self.events += 1
        event, parameters = message["method"], message.get("params", {})
        session = self._sessions.get(message.get("sessionId", ""), self.browser)
        if event == "Target.detachedFromTarget":
            self._detach(parameters["sessionId"])
        elif event == "Inspector.targetCrashed":
            session.fail(TargetLostError(CRASHED))
        session.dispatch(event, parameters)

    def _complete(self, message: dict[str, Any]) -> None:
        method, future = self._pending.pop(message["id"], ("", None))
        if future is None or future.done():
            # No one waits anymore: the command was canceled, or the target was lost.
            return
        if "error" in message:
            future.set_exception(ProtocolError(method, message["error"].get("message", "")))
        else:
            future.set_result(message.get("result", {}))

    def _detach(self, identifier: str) -> None:
        session = self._sessions.pop(identifier, None)
        if session is not None:
            session.fail(TargetLostError(CLOSED))

    def close(self, reason: str) -> None:
        """Make all commands waiting for the browser fail."""
        error = ConnectionLostError(reason)
        for session in (self.browser, *self._sessions.values()):
            session.fail(error)
        self._pending.clear()


def _read_exception(future: "asyncio.Future[Result]") -> None:
    if not future.cancelled():
        future.exception()
