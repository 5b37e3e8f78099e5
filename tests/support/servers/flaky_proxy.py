"""A proxy that fails one request in ten, before or after the server has handled the request."""

import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.support.servers.service import free_port

ONE_IN = 10
# What Amazon says when it is overloaded.
BUSY = (
    b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your rate.</Message></Error>"
)
HOP_BY_HOP = {"connection", "content-length", "transfer-encoding", "keep-alive"}
METHODS = ["GET", "HEAD", "PUT", "POST", "DELETE"]


class FlakyProxy:
    """Forwards to ``target``; ``failures`` counts what it failed."""

    def __init__(self, target: str) -> None:
        self.url = f"http://127.0.0.1:{free_port()}"
        self.failures = 0
        self._target = target
        self._numbers = count(1)

    def app(self) -> Starlette:
        routes = [Route("/{path:path}", self.forward, methods=METHODS)]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with httpx.AsyncClient(timeout=60) as self._client:
            yield

    async def forward(self, request: Request) -> Response:
        number = next(self._numbers)
        fails = number % ONE_IN == 0
        self.failures += fails
        body = await request.body()
        # Half of the failed requests are lost, and of the other half only the response.
        if fails and number % (2 * ONE_IN):
            return Response(BUSY, 503, media_type="application/xml")
        path = request.scope["raw_path"].decode()
        query = request.scope["query_string"].decode()
        response = await self._client.request(
            request.method,
            f"{self._target}{path}{'?' if query else ''}{query}",
            headers=request.headers.raw,
            content=body,
        )
        if fails:
            return Response(BUSY, 500, media_type="application/xml")
        kept = {
            name: value
            for name, value in response.headers.items()
            if name.lower() not in HOP_BY_HOP | {"content-encoding"}
        }
        sent = Response(response.content, response.status_code, kept)
        if request.method == "HEAD":
            sent.headers["content-length"] = response.headers["content-length"]
        return sent


@contextmanager
def flaky_proxy(target: str) -> Iterator[FlakyProxy]:
    """Serve until the block ends."""
    proxy = FlakyProxy(target)
    port = int(proxy.url.rpartition(":")[2])
    config = uvicorn.Config(
        proxy.app(), host="127.0.0.1", port=port, log_level="error", loop="asyncio"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield proxy
    finally:
        server.should_exit = True
        thread.join()
