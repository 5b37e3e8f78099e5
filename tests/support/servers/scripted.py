"""A real HTTP server with prepared responses, for faults of the transport."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class ScriptedResponse:
    """``disconnect`` closes the connection instead of sending a response."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    disconnect: bool = False


@dataclass(frozen=True)
class ReceivedRequest:
    method: str
    path: str
    authorization: str | None
    body: bytes


class ScriptedServer(ThreadingHTTPServer):
    def __init__(self, responses: list[ScriptedResponse]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.responses = deque(responses)
        self.seen: list[ReceivedRequest] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def respond(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length)
        request = ReceivedRequest(self.command, self.path, self.headers.get("authorization"), body)
        self.server.seen.append(request)
        response = self.server.responses.popleft()
        if response.disconnect:
            self.close_connection = True
            return
        raw = (
            response.body
            if isinstance(response.body, bytes)
            else json.dumps(response.body).encode()
        )
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PUT = respond  # noqa: N815 - The names that http.server requires.

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - As in http.server.
        """Log nothing; the tests check ``seen``."""


@contextmanager
def serving(*responses: ScriptedResponse) -> Iterator[ScriptedServer]:
    server = ScriptedServer(list(responses))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
