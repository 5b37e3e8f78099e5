"""uvicorn's protocol, which also ends connections without progress.

uvicorn closes politely: a close waits for as long as the client does not read. A reverse proxy in
front of the service reads at once, so that only clients without a proxy meet the limits.
"""

import asyncio
import socket
import struct
from typing import Any, Final

from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

# A client that takes none of a response, or begins no request, for so long is gone. Progress is
# checked equally often, so a connection ends after one to two of these times.
PROGRESS_SECONDS: Final = 30.0
NO_LINGER: Final = struct.pack("ii", 1, 0)
# Monitoring learns of too many connections from the response itself.
HEALTH: Final = (b"/healthz", b"/readyz", b"/startupz")
# More than clients send. uvicorn keeps a head of any size in memory.
MOST_HEAD_BYTES: Final = 128 * 1024


class TimedProtocol(HttpToolsProtocol):
    """One connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's own.
        super().__init__(*arguments, **options)
        self._head_bytes = self._unsent = 0
        self._in_head = False
        self._resumed = False
        self._timer: asyncio.TimerHandle | None = None
        self._served: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._served is not None:
            # uvicorn notifies only the newest request, which waits if a client pipelines.
            self._served.disconnected = True
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._head_bytes = self._head_bytes + len(data) if self._in_head else 0
        if self._head_bytes > MOST_HEAD_BYTES:
            self.send_400_response("The head of the request is too large.")

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()

    def resume_writing(self) -> None:
        self._resumed = True
        super().resume_writing()

    def on_header(self, name: bytes, value: bytes) -> None:
        # The parser keeps white space at the end, but the space is no part of a value (RFC 9110,
        # 5.5).
        super().on_header(name, value.rstrip(b" \t"))

    def on_headers_complete(self) -> None:
        self._in_head = False
        is_health = self.url.partition(b"?")[0] in HEALTH
        self.limit_concurrency = None if is_health else self.config.limit_concurrency
        super().on_headers_complete()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._served = cycle
        super()._start_asgi_task(cycle, app)

    def _watch(self) -> None:
        self._resumed = False
        self._timer = self.loop.call_later(PROGRESS_SECONDS, self._check_progress)

    def _check_progress(self) -> None:
        before, self._unsent = self._unsent, self.transport.get_write_buffer_size()
        is_stuck = 0 < before <= self._unsent and not self._resumed
        if is_stuck or self.cycle is None:
            # Otherwise, the system would keep unsent bytes for the client.
            self.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER
            )
            self.transport.abort()
        else:
            self._watch()
