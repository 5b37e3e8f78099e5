"""Serves the web process with uvicorn, until SIGTERM or SIGINT."""

import gc
import logging
import resource
import signal
import socket
from types import FrameType
from typing import Never

import uvicorn
from starlette.applications import Starlette

from visual_review.config.http.asgi import make_application
from visual_review.config.http.listener import limit_unsent_bytes
from visual_review.config.http.metrics import serve_metrics_of_web
from visual_review.config.http.protocol import TimedProtocol
from visual_review.config.idle_memory import keep_releasing_memory
from visual_review.kernel.tracing import start_tracing

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
