"""HTTP/1.1 on one connection, for uvicorn's server, observed by a ConnectionGuard.

uvicorn's own protocol for httptools parses all that arrives at once, without limits. Here one
request is parsed at a time, what comes after it waits unparsed, and every phase is known.
"""

import asyncio
import socket
import struct
from typing import Any, Final

from starlette.types import Scope
from uvicorn.config import Config
from uvicorn.protocols.utils import get_local_addr, get_remote_addr, is_ssl
from uvicorn.server import ServerState

from visual_review.config.http.connection_rules import Activity, Phase, end_of_keep_alive
from visual_review.config.http.connections import ConnectionGuard
from visual_review.config.http.early_errors import early_error
from visual_review.config.http.exchange import UNTAKEN_BYTES, Exchange
from visual_review.config.http.request_head import Headers, RequestError
from visual_review.config.http.request_reader import RequestHead, RequestReader
from visual_review.config.http.request_state import KEY, RequestState
from visual_review.config.http.response_head import make_head
from visual_review.kernel.client_address import client_network, is_trusted

# Linger for no time at all.
RESET: Final = struct.pack("ii", 1, 0)
ASGI: Final = {"version": "3.0", "spec_version": "2.3"}


class GuardedProtocol(asyncio.Protocol):
    """One connection. uvicorn makes it, keeps it in its state, and calls ``shutdown``."""

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
        *,
        guard: ConnectionGuard,
    ) -> None:
        self._app = config.loaded_app
        # uvicorn's annotations allow its own protocols only.
        self._server: Any = server_state
        self._app_state = app_state
        self._guard = guard
        self._loop = _loop or asyncio.get_running_loop()
        self._reader = RequestReader(self)
        self._exchange: Exchange | None = None
        # What arrived after the request that is being responded to.
        self._rest = b""
        self._pipelined = False
        # Nothing more is read: after an error, or after the last response.
        self._finished = False
        self._reading = True
        self._writable: asyncio.Future[None] | None = None
        self._idle_timer: asyncio.TimerHandle | None = None
        self._phase = Phase.HEAD
        self._changed_at = self._received_at = self._loop.time()
        self._unsent_since: float | None = None

    # What the event loop and the server call.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._client = get_remote_addr(transport)
        self._facts = {
            "type": "http",
            "asgi": ASGI,
            "server": get_local_addr(transport),
            "client": self._client,
            "scheme": "https" if is_ssl(transport) else "http",
            "root_path": "",
        }
        self._server.connections.add(self)
        self._guard.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        _ = exc
        self._server.connections.discard(self)
        self._guard.discard(self)
        self._finished = True
        if self._exchange is not None:
            self._exchange.disconnect()
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        self.resume_writing()

    def data_received(self, data: bytes) -> None:
        self._received_at = self._loop.time()
        if self._finished:
            return
        if self._phase is Phase.IDLE:
            self._change(Phase.HEAD)
        self._rest = self._rest + data if self._rest else data
        self._read_requests()

    def pause_writing(self) -> None:
        self._writable = self._writable or self._loop.create_future()
        self._unsent_since = self._unsent_since or self._loop.time()

    def resume_writing(self) -> None:
        if self._writable is not None and not self._writable.done():
            self._writable.set_result(None)
        self._writable = None
        self._unsent_since = None

    def shutdown(self) -> None:
        """End responses that go on for minutes; the server waits for the others."""
        exchange = self._exchange
        if exchange is None or exchange.complete:
            self.close()
        else:
            exchange.keep_alive = False
            exchange.state.end()

    # What the reader calls.

    def begin_request(self, head: RequestHead) -> None:
        state = RequestState(pipelined=self._pipelined)
        scope: Scope = {
            **self._facts,
            "http_version": head.version,
            "method": head.method,
            "path": head.target.path,
            "raw_path": head.target.raw_path,
            "query_string": head.target.query,
            "headers": head.headers,
            "state": self._app_state.copy(),
            KEY: state,
        }
        exchange = Exchange(self, scope, state, head.framing, keep_alive=head.keep_alive)
        self._exchange = exchange
        self._change(Phase.BODY)
        # It runs after what has arrived of the body was read.
        task = self._loop.create_task(exchange.run(self._app))
        self._server.tasks.add(task)
        task.add_done_callback(self._server.tasks.discard)

    def add_body(self, part: bytes) -> None:
        if self._exchange is not None and self._exchange.add_body(part) > UNTAKEN_BYTES:
            self._pause_reading()

    def end_request(self) -> None:
        exchange = self._exchange
        if exchange is not None:
            exchange.end_body()
            self._change(Phase.IDLE if exchange.complete else Phase.RESPONSE)

    # What an exchange calls.

    @property
    def default_headers(self) -> Headers:
        headers: Headers = self._server.default_headers
        return headers

    def write(self, data: bytes | memoryview) -> None:
        self._transport.write(data)

    async def wait_until_writable(self) -> None:
        if self._writable is not None:
            await self._writable

    def resume_reading(self) -> None:
        if not self._reading and not self._transport.is_closing():
            self._reading = True
            self._transport.resume_reading()

    def end_response(self, *, keep_alive: bool) -> None:
        """Go on with the next request, or end the connection."""
        self._server.total_requests += 1
        if not keep_alive or self._reader.lost:
            self._finish()
            return
        assert self._exchange is not None  # noqa: S101 - It called this.
        self.resume_reading()
        if self._exchange.sending:
            self._change(Phase.DISCARDING)
            return
        self._change(Phase.IDLE)
        if self._rest:
            # What had already arrived is handled at once.
            self._pipelined = True
            self._change(Phase.HEAD)
            self._read_requests()
            self._pipelined = False

    def close(self) -> None:
        self._transport.close()

    # What the guard calls.

    def observe(self, now: float) -> Activity:
        """Return what the connection does; called once a second."""
        if not self._transport.get_write_buffer_size():
            self._unsent_since = None
        elif self._unsent_since is None:
            self._unsent_since = now
        return Activity(
            self._client_name(),
            self._phase,
            self._changed_at,
            self._received_at,
            self._unsent_since,
        )

    def abort(self) -> None:
        connection = self._transport.get_extra_info("socket")
        if connection is not None:
            # Otherwise the system would keep what the client does not read for some minutes.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self._transport.abort()

    def _read_requests(self) -> None:
        """Read until there is a request to respond to; the rest waits."""
        try:
            while self._rest and self._takes_bytes():
                rest, self._rest = self._rest, b""
                self._rest = self._reader.feed(rest)
                if self._rest and self._phase is Phase.IDLE:
                    self._change(Phase.HEAD)
        except RequestError as error:
            self._reject(error)
        if self._rest:
            self._pause_reading()

    def _takes_bytes(self) -> bool:
        exchange = self._exchange
        return not self._finished and (exchange is None or exchange.sending or exchange.complete)

    def _pause_reading(self) -> None:
        if self._reading and not self._transport.is_closing():
            self._reading = False
            self._transport.pause_reading()

    def _reject(self, error: RequestError) -> None:
        """Send the error, unless a response was begun; the connection ends in any case."""
        exchange = self._exchange
        if exchange is not None and exchange.sending:
            begun = exchange.begun
            exchange.disconnect()
            if begun:
                self._finished = True
                self.close()
                return
        form, text = early_error(self._reader.target, error.status, str(error))
        head = make_head(
            error.status,
            [*self.default_headers, form],
            method="",
            version="1.1",
            keep_alive=False,
            whole_body=len(text),
        )
        self._transport.write(head.data + text)
        self._finish(discarding=True)

    def _finish(self, *, discarding: bool = False) -> None:
        """End the connection after what was written.

        A client that is still sending reads the response only if it is not reset meanwhile.
        """
        self._finished, self._rest = True, b""
        sending = self._exchange is not None and self._exchange.sending
        if self._transport.is_closing() or not (discarding or sending):
            self.close()
            return
        self._change(Phase.DISCARDING)
        self.resume_reading()
        if self._transport.can_write_eof():
            self._transport.write_eof()

    def _change(self, phase: Phase) -> None:
        if phase is not self._phase:
            self._phase, self._changed_at = phase, self._loop.time()
            if phase is Phase.IDLE:
                self._start_idle_timer()

    def _start_idle_timer(self) -> None:
        # One timer for many requests: most connections are used again before it ends.
        if self._idle_timer is None:
            ends = end_of_keep_alive(self._changed_at)
            self._idle_timer = self._loop.call_at(ends, self._on_idle_timer)

    def _on_idle_timer(self) -> None:
        self._idle_timer = None
        if self._phase is not Phase.IDLE:
            return
        if end_of_keep_alive(self._changed_at) <= self._loop.time():
            self.close()
        else:
            self._start_idle_timer()

    def _client_name(self) -> str:
        """Return the client's network; empty while only a proxy is known."""
        if self._exchange is not None:
            return self._exchange.state.client
        peer = self._client[0] if self._client else ""
        return "" if is_trusted(peer, self._guard.trusted) else client_network(peer)
