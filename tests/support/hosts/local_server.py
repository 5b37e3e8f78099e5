"""A small local HTTP server whose responses a test defines."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qsl, urlsplit

JSON = "application/json; charset=utf-8"


@dataclass(frozen=True)
class ReceivedRequest:
    """One request; ``path`` is still quoted, and header names are lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 - What JSON can say.
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """``pieces`` are sent one by one, without a Content-Length unless ``promised`` is response."""

    status: int = 200
    pieces: Iterable[bytes] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = JSON
    promised: int | None = None


def reply(data: object, status: int = 200, **headers: str) -> Reply:
    """Return ``data`` as JSON; ``retry_after="3"`` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, [json.dumps(data).encode()], named)


def page(text: str, status: int = 200) -> Reply:
    return Reply(status, [text.encode()], kind="text/html; charset=utf-8")


@dataclass
class LocalServer:
    """``requests`` are all requests so far; ``ended`` is set when the test is over."""

    address: str
    requests: list[ReceivedRequest] = field(default_factory=list)
    ended: Event = field(default_factory=Event)

    def paths(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.requests]

    def stall(self, first: bytes = b"") -> Iterator[bytes]:
        """Yield pieces of a response as long as the test lasts."""
        yield first
        while not self.ended.wait(0.02):
            yield b" "

    def silence(self) -> Iterator[bytes]:
        """Yield nothing until the test is over."""
        self.ended.wait()
        yield b""


Handler = Callable[[ReceivedRequest], Reply]


class _Listener(ThreadingHTTPServer):
    """Waits for its handlers on closing, so that no handler outlives its test."""

    daemon_threads = False

    def __init__(self, handler: Handler) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.handler = handler
        self.local_server = LocalServer(f"http://127.0.0.1:{self.server_port}")
        self.failures: list[BaseException] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    # Seconds without a byte in either direction, so that a silent client does not block.
    timeout = 60

    def do_GET(self) -> None:
        self.respond()

    def do_POST(self) -> None:
        self.respond()

    def do_PUT(self) -> None:
        self.respond()

    def do_PATCH(self) -> None:
        self.respond()

    def do_DELETE(self) -> None:
        self.respond()

    def respond(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length", "0"))
        request = ReceivedRequest(
            method=self.command,
            path=parts.path,
            query=dict(parse_qsl(parts.query)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
        )
        self.server.local_server.requests.append(request)
        try:
            response = self.server.handler(request)
        except BaseException as failure:
            self.server.failures.append(failure)
            raise
        # The client hangs up after reading enough.
        with suppress(ConnectionError, TimeoutError):
            self.send(response)

    def send(self, response: Reply) -> None:
        self.send_response(response.status)
        self.send_header("Content-Type", response.kind)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.promised is not None:
            self.send_header("Content-Length", str(response.promised))
        self.end_headers()
        for piece in response.pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def local_server(handler: Handler) -> Iterator[LocalServer]:
    """Respond with ``handler`` until the block ends; an error of a handler is raised at the end."""
    with _Listener(handler) as listener:
        thread = Thread(target=listener.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield listener.local_server
        finally:
            listener.local_server.ended.set()
            listener.shutdown()
            thread.join()
    if listener.failures:
        raise AssertionError("The server of the test failed.") from listener.failures[0]
