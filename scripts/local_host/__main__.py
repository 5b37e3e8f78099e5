"""Serves the local host until it is stopped: ``python -m scripts.local_host --port 8081``."""

import argparse
import os
import signal
import socket
import sys
from threading import Thread

import uvicorn

from scripts.local_host.app import application
from visual_review.hosts.memory import MemoryWorld

HOST = "127.0.0.1"
END_SECONDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(prog="local_host", description=__doc__)
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument("--listener", type=int, help="serve this open socket; end with stdin")
    given = parser.parse_args()
    if given.listener is None:
        listener = socket.create_server((HOST, given.port))
    else:
        listener = socket.socket(fileno=given.listener)
        Thread(target=_end_with_stdin, daemon=True).start()
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    app = application(address, MemoryWorld("memory://local"))
    # Its troubles break connections off on purpose, which uvicorn would report as errors.
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=END_SECONDS)
    uvicorn.Server(config).run(sockets=[listener])


def _end_with_stdin() -> None:
    """It ends with whoever started it, also when that one was killed."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
