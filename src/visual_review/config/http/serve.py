"""Serves the web process with uvicorn, until SIGTERM or SIGINT."""

import gc
import logging
import resource
import signal
import socket
from functools import partial
from types import FrameType
from typing import Any, Never

import uvicorn
from django.conf import settings
from starlette.types import ASGIApp

from visual_review.config.http.asgi import make_application
from visual_review.config.http.connections import ConnectionGuard
from visual_review.config.http.listener import limit_unsent_bytes
from visual_review.config.http.protocol import GuardedProtocol

BACKLOG = 2048
# Requests in progress get this long to finish after a signal.
GRACE_SECONDS = 10
# A connection, the file it reads, and what its request writes.
FILES_PER_CONNECTION = 4
MOST_FILES = 16_384

logger = logging.getLogger(__name__)


def serve(listener: socket.socket) -> None:
    """Serve requests that arrive at ``listener``."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server raises the signal again when it is done; exit with 0 then.
        signal.signal(number, _exit)
    logger.info("listening on %s", listener.getsockname())
    guard = ConnectionGuard(settings.TRUSTED_PROXIES, _raise_file_limit() // FILES_PER_CONNECTION)
    limit_unsent_bytes(listener)
    # Loaded code stays: scanning it for garbage took a third of the time of large responses.
    gc.freeze()
    uvicorn.Server(server_configuration(make_application(), guard)).run(sockets=[listener])


def server_configuration(application: ASGIApp, guard: ConnectionGuard) -> uvicorn.Config:
    """Return the server's settings, with every connection watched by ``guard``."""
    protocol: Any = partial(GuardedProtocol, guard=guard)
    return uvicorn.Config(
        application,
        http=protocol,
        ws="none",
        log_config=None,
        access_log=False,
        # The application reads these headers itself, with its own list of proxies.
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )


def _raise_file_limit() -> int:
    """Allow as many open files as the system permits this process; returns how many."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (most, resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    )
    return most


def _exit(_number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(0)
