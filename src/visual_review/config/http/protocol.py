"""uvicorn's HTTP protocol, observed by a ConnectionGuard."""

import asyncio
import socket
import struct
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from visual_review.config.http.connection_rules import Activity, Phase
from visual_review.config.http.connections import ConnectionGuard
from visual_review.config.http.request_state import KEY, RequestState
from visual_review.kernel.client_address import client_network, is_trusted

# Linger for no time at all.
RESET: Final = struct.pack("ii", 1, 0)


class GuardedProtocol(H11Protocol):
    """One connection."""

    def __init__(self, *args: Any, guard: ConnectionGuard, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own.
        super().__init__(*args, **options)
        self._guard = guard
        self._state: RequestState | None = None
        self._changed_at = self._received_at = self.loop.time()
        self._phase = Phase.HEAD
        self._unsent_since: float | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._guard.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        self._guard.discard(self)
        if self._state is not None:
            self._state.connected = False
            self._state.end()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End responses that go on for minutes; the server waits for the others."""
        if self._state is not None:
            self._state.end()
        super().shutdown()

    def data_received(self, data: bytes) -> None:
        self._received_at = self.loop.time()
        previous = self.cycle
        super().data_received(data)
        self._note_request(previous, pipelined=False)
        if self._phase is Phase.IDLE and self._current_phase() is Phase.IDLE:
            self._change(Phase.HEAD)

    def on_response_complete(self) -> None:
        previous = self.cycle
        super().on_response_complete()
        # What had already arrived is handled at once.
        self._note_request(previous, pipelined=True)
        self._change(self._current_phase())

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent_since = self._unsent_since or self.loop.time()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unsent_since = None

    def observe(self, now: float) -> Activity:
        """Return what the connection does; called once a second."""
        if not self.transport.get_write_buffer_size():
            self._unsent_since = None
        elif self._unsent_since is None:
            self._unsent_since = now
        phase = self._current_phase()
        # An incomplete head is not visible in uvicorn's state.
        if not (phase is Phase.IDLE and self._phase is Phase.HEAD):
            self._change(phase)
        return Activity(
            self._client_name(),
            self._phase,
            self._changed_at,
            self._received_at,
            self._unsent_since,
        )

    def abort(self) -> None:
        connection = self.transport.get_extra_info("socket")
        if connection is not None:
            # Otherwise the system would keep what the client does not read for some minutes.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        self.transport.abort()

    def _note_request(self, previous: object, *, pipelined: bool) -> None:
        if self.cycle is not previous:
            self._state = RequestState(pipelined=pipelined)
            scope: Any = self.scope
            # The application's task runs after this.
            scope[KEY] = self._state
            self._change(self._current_phase())

    def _current_phase(self) -> Phase:
        # uvicorn's annotation leaves out that there is none before the first request.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None:
            return Phase.IDLE
        if cycle.response_complete:
            sending = self.conn.their_state is h11.SEND_BODY
            return Phase.DISCARDING if sending else Phase.IDLE
        return Phase.BODY if cycle.more_body else Phase.RESPONSE

    def _change(self, phase: Phase) -> None:
        if phase is not self._phase:
            self._phase, self._changed_at = phase, self.loop.time()

    def _client_name(self) -> str:
        """Return the client's network; empty while only a proxy is known."""
        if self._state is not None:
            return self._state.client
        peer = self.client[0] if self.client else ""
        return "" if is_trusted(peer, self._guard.trusted) else client_network(peer)
