"""A real HTTP server that answers in the order it was told, for faults of the transport."""

import json
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


@dataclass(frozen=True)
class Answer:
    """``cut`` ends the connection instead of answering."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


@dataclass(frozen=True)
class ReceivedRequest:
    method: str
    path: str
    authorization: str | None
    body: bytes


class ScriptedServer(ThreadingHTTPServer):
    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = deque(answers)
        self.seen: list[ReceivedRequest] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: ScriptedServer

    def answer(self) -> None:
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length)
        request = ReceivedRequest(self.command, self.path, self.headers.get("authorization"), body)
        self.server.seen.append(request)
        answer = self.server.answers.popleft()
        if answer.cut:
            self.close_connection = True
            return
        raw = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = do_PUT = answer  # noqa: N815 - The names that http.server asks for.

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - As in http.server.
        """Say nothing: the tests look at what was seen."""


@contextmanager
def serving(*answers: Answer) -> Iterator[ScriptedServer]:
    server = ScriptedServer(list(answers))
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
