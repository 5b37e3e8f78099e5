"""Serves the web process with uvicorn, until SIGTERM or SIGINT."""

import asyncio
import gc
import logging
import resource
import signal
import socket
import struct
from types import FrameType
from typing import Any, Final, Never

import uvicorn
from starlette.applications import Starlette
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from visual_review.config.http.asgi import make_application
from visual_review.config.http.listener import limit_unsent_bytes
from visual_review.config.http.metrics import serve_metrics_of_web
from visual_review.config.idle_memory import keep_releasing_memory
from visual_review.kernel.tracing import start_tracing

# A client that takes none of a response, or begins no request, for so long is gone. Progress is
# checked equally often, so a connection ends after one to two of these times.
PROGRESS_SECONDS: Final = 30.0
NO_LINGER: Final = struct.pack("ii", 1, 0)
# Monitoring learns of too many connections from the response itself.
HEALTH: Final = (b"/healthz", b"/readyz", b"/startupz")
# More than clients send. uvicorn keeps a head of any size in memory.
MOST_HEAD_BYTES: Final = 128 * 1024
BACKLOG = 2048
# Requests in progress get this long to finish after a signal.
GRACE_SECONDS = 10
# A connection, the file it reads, and the files its request writes.
FILES_PER_CONNECTION = 4
MOST_FILES = 16_384
# Each may hold 128 kB in memory, of a response or of an incomplete body.
MOST_CONNECTIONS = 2048
# Longer than the 60 s of common proxies, so that a proxy uses no closed connection.
KEEP_ALIVE_SECONDS = 75
logger = logging.getLogger(__name__)


class TimedProtocol(HttpToolsProtocol):
    """One connection, which also ends without progress.

    uvicorn closes politely: a close waits for as long as the client does not read. A reverse proxy
    in front of the service reads at once, so that only clients without a proxy meet the limits.
    """

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


def serve(listener: socket.socket) -> None:
    """Serve requests arriving at ``listener``."""
    keep_releasing_memory()
    for number in (signal.SIGTERM, signal.SIGINT):
        # When done, the server raises the signal again; exit with 0 then.
        signal.signal(number, _exit)
    logger.info("listening on %s", listener.getsockname())
    connections = min(MOST_CONNECTIONS, _raise_file_limit() // FILES_PER_CONNECTION)
    limit_unsent_bytes(listener)
    # Loaded code stays: scanning the code for garbage took a third of the time of large responses.
    gc.freeze()
    start_tracing("visual-review-web")
    serve_metrics_of_web()
    Server(make_application(), connections).run(sockets=[listener])


class Server(uvicorn.Server):
    """uvicorn's server with the settings of the service; at most ``connections`` are served."""

    def __init__(self, application: Starlette, connections: int = MOST_CONNECTIONS) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                http=TimedProtocol,
                ws="none",
                log_config=None,
                access_log=False,
                # The application reads these headers itself, with its own list of proxies.
                proxy_headers=False,
                server_header=False,
                backlog=BACKLOG,
                limit_concurrency=connections,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        self._events = application.state.events

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams of events, which go on for minutes; uvicorn waits for other responses."""
        self._events.end_all()
        await super().shutdown(sockets)


def _raise_file_limit() -> int:
    """Allow as many open files as the system permits; returns how many."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )
    return most


def _exit(_number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(0)
