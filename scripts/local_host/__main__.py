"""Serve the local Git provider until stopped: ``python -m scripts.local_host --port 8081``."""

import argparse
import os
import signal
import socket
import sys
from threading import Thread

import uvicorn

from scripts.local_host.app import create_application
from scripts.local_host.memory import MemoryWorld

HOST = "127.0.0.1"
END_SECONDS = 10


def main() -> None:
    parser = argparse.ArgumentParser(prog="local_host", description=__doc__)
    parser.add_argument("--port", type=int, default=8081)
    parser.add_argument(
        "--listener", type=int, help="serve this open socket; exit when stdin closes"
    )
    options = parser.parse_args()
    if options.listener is None:
        listener = socket.create_server((HOST, options.port))
    else:
        listener = socket.socket(fileno=options.listener)
        Thread(target=_exit_with_stdin, daemon=True).start()
    address = f"http://{HOST}:{listener.getsockname()[1]}"
    app = create_application(address, MemoryWorld("memory://local"))
    # Faults close connections on purpose; uvicorn would report an error for each.
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=END_SECONDS)
    uvicorn.Server(config).run(sockets=[listener])


def _exit_with_stdin() -> None:
    """Exit with the parent process, even if the parent was killed."""
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
