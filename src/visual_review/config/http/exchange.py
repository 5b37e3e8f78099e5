"""One request and its response, as an ASGI application sees them."""

import asyncio
import logging
from http import HTTPStatus
from typing import Any, Final, Protocol

from starlette.types import ASGIApp, Message, Scope

from visual_review.config.http.early_errors import early_error
from visual_review.config.http.request_head import Framing, Headers
from visual_review.config.http.request_state import RequestState
from visual_review.config.http.response_head import BodyWriter, ResponseError, make_head

# The server waits for the client between the parts, so the time limit of a write is a rate.
PART_BYTES: Final = 64 * 1024
# A body that arrives faster than it is taken waits with the client.
UNTAKEN_BYTES: Final = 64 * 1024
CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"
INTERNAL_ERROR: Final = "The service failed unexpectedly; its log has details."

logger = logging.getLogger("uvicorn.error")


class Connection(Protocol):
    """What an exchange needs of its connection."""

    @property
    def default_headers(self) -> Headers: ...

    def write(self, data: bytes | memoryview) -> None: ...

    async def wait_until_writable(self) -> None: ...

    def resume_reading(self) -> None: ...

    def end_response(self, *, keep_alive: bool) -> None: ...

    def close(self) -> None: ...


class Exchange:
    """``complete``: the response was sent. ``sending``: more of the request's body is to come."""

    __slots__ = (
        "_body",
        "_connection",
        "_end_taken",
        "_expects_continue",
        "_start",
        "_taken",
        "_untaken",
        "_waiter",
        "_writer",
        "complete",
        "keep_alive",
        "scope",
        "sending",
        "state",
    )

    def __init__(
        self,
        connection: Connection,
        scope: Scope,
        state: RequestState,
        framing: Framing,
        *,
        keep_alive: bool,
    ) -> None:
        self._connection = connection
        self.scope = scope
        self.state = state
        self.keep_alive = keep_alive
        self.sending = True
        self.complete = False
        self._expects_continue = framing.expects_continue
        self._body: list[bytes] = []
        self._untaken = 0
        self._taken = self._end_taken = False
        self._start: Message | None = None
        self._writer: BodyWriter | None = None
        self._waiter: asyncio.Future[None] | None = None

    async def run(self, app: ASGIApp) -> None:
        """Let the application respond; without a complete response the connection is closed."""
        try:
            await app(self.scope, self.receive, self.send)
            if self._lacks_response():
                logger.error("The application returned without a complete response.")
        except Exception:
            logger.exception("Exception in ASGI application")
            if self._writer is None and self.state.connected:
                await self._send_internal_error()
        finally:
            if self._lacks_response():
                self._connection.close()

    @property
    def begun(self) -> bool:
        """Whether some of the response was sent."""
        return self._writer is not None

    def add_body(self, part: bytes) -> int:
        """Keep a part of the body; returns how many bytes the application has not taken yet."""
        if self.complete or not self.state.connected:
            return 0
        self._body.append(part)
        self._untaken += len(part)
        self._wake()
        return self._untaken

    def end_body(self) -> None:
        self.sending = False
        self.state.arrived = not self._taken
        self._wake()

    def disconnect(self) -> None:
        """Note that the client is gone: nothing is sent anymore, and nothing more arrives."""
        self.state.connected = False
        self.state.end()
        self._wake()

    async def receive(self) -> Message:
        if self._expects_continue and self.sending and not self._body:
            self._connection.write(CONTINUE)
        self._expects_continue = False
        while self._is_open() and not self._has_unread_part():
            self._connection.resume_reading()
            await self._arrival()
        if not self._is_open():
            return {"type": "http.disconnect"}
        self._taken, self._end_taken = True, not self.sending
        body = b"".join(self._body)
        self._body.clear()
        self._untaken = 0
        return {"type": "http.request", "body": body, "more_body": self.sending}

    async def send(self, message: Message) -> None:
        if not self.state.connected:
            return
        if message["type"] == "http.response.start" and self._start is None:
            # It is written with the first part of the body, as one message.
            self._start = message
        elif message["type"] == "http.response.body" and self._start and not self.complete:
            await self._send_body(message.get("body", b""), more=message.get("more_body", False))
        else:
            raise ResponseError(f"'{message['type']}' was not expected now.")

    def _is_open(self) -> bool:
        return self.state.connected and not self.complete

    def _has_unread_part(self) -> bool:
        """Whether there is a part of the body, or its end, that was not received."""
        return bool(self._body) or not (self.sending or self._end_taken)

    def _lacks_response(self) -> bool:
        return self.state.connected and not self.complete

    async def _arrival(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def _send_body(self, body: bytes, *, more: bool) -> None:
        head = b""
        if self._writer is None:
            head = self._begin(None if more else len(body))
        assert self._writer is not None  # noqa: S101 - Just made.
        await self._write(head + self._writer.frame(body, more=more))
        if not more and self.state.connected:
            self.complete = True
            # The next request may be minutes away.
            self._body.clear()
            self._wake()
            self._connection.end_response(keep_alive=self.keep_alive)

    def _begin(self, whole_body: int | None) -> bytes:
        if self._expects_continue and self.sending and not self._body:
            # Whether the body follows is for the client to decide, and its end would be a guess.
            self.keep_alive = False
        start: Any = self._start
        head = make_head(
            start["status"],
            [*self._connection.default_headers, *start.get("headers", ())],
            method=self.scope["method"],
            version=self.scope["http_version"],
            keep_alive=self.keep_alive,
            whole_body=whole_body,
        )
        self._writer, self.keep_alive = head.writer, head.keep_alive
        return head.data

    async def _write(self, data: bytes) -> None:
        rest = memoryview(data) if len(data) > PART_BYTES else data
        while rest:
            await self._connection.wait_until_writable()
            if not self.state.connected:
                return
            self._connection.write(rest[:PART_BYTES])
            rest = rest[PART_BYTES:]

    async def _send_internal_error(self) -> None:
        # What the application began may be invalid; nothing of it was written.
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        form, body = early_error(self.scope["path"].encode(), status, INTERNAL_ERROR)
        headers = [form, (b"connection", b"close")]
        self._start = {"type": "http.response.start", "status": status, "headers": headers}
        await self._send_body(body, more=False)
