"""The base of the adapters' tests: a world in memory, and a server in a thread."""

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread

import uvicorn
from scripts.local_host.memory import MemoryWorld
from starlette.types import ASGIApp, Receive, Scope, Send

from visual_review.hosts.port import Host

TOKEN = "a-token-of-the-tests"
NAME = "acme/web"


@dataclass(frozen=True)
class AdapterUnderTest:
    """``world`` has the repository ``NAME``; ``host`` is the adapter under test.

    HTTP adapters access the world through a local server with responses in their format.
    """

    world: MemoryWorld
    host: Host


START_SECONDS = 60
END_SECONDS = 30


class AsgiServer:
    """A server whose URL stays while its application changes from test to test."""

    def __init__(self) -> None:
        self.app: ASGIApp | None = None
        self.address = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        await self.app(scope, receive, send)


@contextmanager
def running_asgi_server() -> Iterator[AsgiServer]:
    asgi_server = AsgiServer()
    # Errors are intended; tests check their own responses.
    config = uvicorn.Config(
        asgi_server,
        log_level="critical",
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=END_SECONDS,
    )
    server = uvicorn.Server(config)
    # Without the explicit protocol asyncio does not disable Nagle's algorithm.
    with socket.socket(proto=socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        asgi_server.address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            deadline = time.monotonic() + START_SECONDS
            while not server.started and thread.is_alive() and time.monotonic() < deadline:
                time.sleep(0.01)
            yield asgi_server
        finally:
            server.should_exit = True
            thread.join()
