"""Serves the local host until it is stopped: ``python -m scripts.local_host --port 8081``."""

import argparse

import uvicorn

from scripts.local_host.app import application
from visual_review.hosts.memory import MemoryWorld

HOST = "127.0.0.1"


def main() -> None:
    parser = argparse.ArgumentParser(prog="local_host", description=__doc__)
    parser.add_argument("--port", type=int, default=8081)
    port: int = parser.parse_args().port
    # Its troubles break connections off on purpose, which uvicorn would report as errors.
    app = application(f"http://{HOST}:{port}", MemoryWorld("memory://local"))
    uvicorn.run(app, host=HOST, port=port, log_level="critical")


if __name__ == "__main__":
    main()
