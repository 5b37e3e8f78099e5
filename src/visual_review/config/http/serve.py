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
    """Answer requests that arrive at ``listener``, which is bound already."""
    for number in (signal.SIGTERM, signal.SIGINT):
        # The server raises the signal again when it is done; that end is no failure.
        signal.signal(number, _end)
    # The first enqueue would load the jobs otherwise, within somebody's transaction.
    app.perform_import_paths()  # type: ignore[no-untyped-call]
    logger.info("answering at %s", listener.getsockname())
    configuration = uvicorn.Config(
        make_application(),
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    # What was loaded stays: looking through it again for garbage took a third of large answers.
    gc.freeze()
    uvicorn.Server(configuration).run(sockets=[listener])


def _end(_number: int, _frame: FrameType | None) -> Never:
    raise SystemExit(0)
