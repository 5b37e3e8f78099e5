"""A small HTTP server on this machine that answers what a test tells it to."""

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
    """One request; ``path`` is as it came, still quoted, and names of headers are lower case."""

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
    """``pieces`` are sent one by one, without a length before them, unless ``promised`` bytes."""

    status: int = 200
    pieces: Iterable[bytes] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = JSON
    promised: int | None = None


def reply(data: object, status: int = 200, **headers: str) -> Reply:
    """``data`` as JSON; ``retry_after="3"`` is the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, [json.dumps(data).encode()], named)


def page(text: str, status: int = 200) -> Reply:
    return Reply(status, [text.encode()], kind="text/html; charset=utf-8")


@dataclass
class LocalServer:
    """``requests`` are all so far; ``ended`` is set when the test is over."""

    address: str
    requests: list[ReceivedRequest] = field(default_factory=list)
    ended: Event = field(default_factory=Event)

    def paths(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.requests]

    def stall(self, first: bytes = b"") -> Iterator[bytes]:
        """Pieces of an answer that goes on for as long as the test."""
        yield first
        while not self.ended.wait(0.02):
            yield b" "

    def silence(self) -> Iterator[bytes]:
        """Pieces of an answer of which none comes."""
        self.ended.wait()
        yield b""


Answering = Callable[[ReceivedRequest], Reply]


class _Listener(ThreadingHTTPServer):
    """Waits for its handlers when it closes, so that none outlives its test."""

    daemon_threads = False

    def __init__(self, answering: Answering) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answering = answering
        self.local_server = LocalServer(f"http://127.0.0.1:{self.server_port}")
        self.failures: list[BaseException] = []


class _Handler(BaseHTTPRequestHandler):
    server: _Listener
    # Of seconds without a byte either way: nobody waits for a client that says nothing.
    timeout = 60

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_PUT(self) -> None:
        self.answer()

    def do_PATCH(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()

    def answer(self) -> None:
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
            given = self.server.answering(request)
        except BaseException as failure:
            self.server.failures.append(failure)
            raise
        # The client hangs up where it has read enough.
        with suppress(ConnectionError, TimeoutError):
            self.say(given)

    def say(self, given: Reply) -> None:
        self.send_response(given.status)
        self.send_header("Content-Type", given.kind)
        for name, value in given.headers.items():
            self.send_header(name, value)
        if given.promised is not None:
            self.send_header("Content-Length", str(given.promised))
        self.end_headers()
        for piece in given.pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    def log_message(self, *words: object) -> None:
        pass


@contextmanager
def local_server(answering: Answering) -> Iterator[LocalServer]:
    """Answers with ``answering`` until the block ends; an error in it is raised at the end."""
    with _Listener(answering) as listener:
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
