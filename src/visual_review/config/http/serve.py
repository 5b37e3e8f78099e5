"""Serves the web process with uvicorn, until SIGTERM or SIGINT."""

import gc
import logging
import signal
import socket
from types import FrameType
from typing import Never

import uvicorn
from procrastinate.contrib.django import app

from visual_review.config.http.asgi import make_application

BACKLOG = 2048
# Requests in progress get this long to finish after a signal.
GRACE_SECONDS = 10

logger = logging.getLogger(__name__)


def serve(listener: socket.socket) -> None:
    """Serve requests that arrive at ``listener``."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server raises the signal again when it is done; exit with 0 then.
        signal.signal(number, _exit)
    # Otherwise the first enqueue loads the jobs, within a transaction.
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    logger.info("listening on %s", listener.getsockname())
    configuration = uvicorn.Config(
        make_application(),
        log_config=None,
        access_log=False,
        # The application reads these headers itself, with its own list of proxies.
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    # Loaded code stays: scanning it for garbage took a third of the time of large responses.
    gc.freeze()
    uvicorn.Server(configuration).run(sockets=[listener])


def _exit(_number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(0)
