"""Serves the web process with uvicorn, until SIGTERM or SIGINT."""

import socket

import uvicorn

from visual_review.config.asgi import make_application

BACKLOG = 2048
# Requests in progress get this long to finish after a signal.
GRACE_SECONDS = 10


def serve(listener: socket.socket) -> None:
    """Answer requests that arrive at ``listener``, which is bound already."""
    configuration = uvicorn.Config(
        make_application(),
        log_config=None,
        access_log=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
    )
    uvicorn.Server(configuration).run(sockets=[listener])
