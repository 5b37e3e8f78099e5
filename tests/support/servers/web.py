"""The web application on a real port in a thread, and clients for reading raw responses."""

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx
import uvicorn
from pytest_django.fixtures import Settings

from visual_review.config.http.asgi import make_application
from visual_review.config.http.serve import Server

START_SECONDS = 60


@contextmanager
def web_server(settings: Settings) -> Iterator[str]:
    """Serve until the block ends; yields the URL, also the public URL meanwhile."""
    # Without the protocol asyncio would leave packets waiting for acknowledgments, 40 ms a response.
    with socket.socket(proto=socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        settings.PUBLIC_URL = f"http://127.0.0.1:{listener.getsockname()[1]}"
        server = Server(make_application())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            _wait_for(server, thread)
            yield settings.PUBLIC_URL
        finally:
            server.should_exit = True
            thread.join()


def _wait_for(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not server.started:
        if time.monotonic() > deadline or not thread.is_alive():
            raise AssertionError("The web server did not start.")
        time.sleep(0.01)


TIMEOUT_SECONDS = 30


@dataclass
class EventReader:
    """An open stream, with the lines not read yet."""

    response: httpx.Response
    lines: Iterator[str]

    def cursor(self) -> str:
        """Wait for the next event, and return its cursor."""
        name = ""
        for line in self.lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "changed":
                data: dict[str, Any] = json.loads(line.removeprefix("data: "))
                return str(data["cursor"])
        raise AssertionError("The stream ended without another event.")

    def rest(self) -> list[str]:
        """Wait for the end of the stream, and return the lines until then."""
        return list(self.lines)


@contextmanager
def reading_events(client: httpx.Client, url: str) -> Iterator[EventReader]:
    with client.stream("GET", url, timeout=TIMEOUT_SECONDS) as response:
        yield EventReader(response, response.iter_lines())


DEADLINE_SECONDS = 30
# A close with these options resets the connection, so that nothing is left behind.
RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class RawClient:
    """Opens connections to the service at ``url``."""

    url: str

    def request(self, method: str, path: str, *headers: str) -> bytes:
        """Return the head of a request."""
        host = urlsplit(self.url).netloc
        lines = [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers]
        return "\r\n".join([*lines, "", ""]).encode()

    @contextmanager
    def connected(self, sent: bytes) -> Iterator[socket.socket]:
        """Open a connection, send as many of the bytes as accepted, and reset the connection."""
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname, parts.port), DEADLINE_SECONDS) as stream:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            stream.setblocking(False)  # noqa: FBT003 - The parameter has no name.
            with suppress(BlockingIOError):
                stream.send(sent)
            stream.settimeout(DEADLINE_SECONDS)
            yield stream


def response_status(stream: socket.socket) -> int:
    """Return the status of the next response."""
    head = b""
    while b"\r\n" not in head:
        part = stream.recv(4096)
        if not part:
            raise AssertionError("The service closed the connection without a response.")
        head += part
    return int(head.split()[1])


def wait_for_end(stream: socket.socket) -> None:
    """Return when the service has ended the connection; fail after the deadline."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        try:
            if not stream.recv(1 << 16):
                return
        except ConnectionError:
            return
        except TimeoutError:
            break
    raise AssertionError("The service kept the connection open.")


def wait_for_reset(stream: socket.socket) -> None:
    """Return when the service has reset the connection, without reading any sent bytes."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while time.monotonic() < deadline:
        if stream.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            return
        time.sleep(0.05)
    raise AssertionError("The service kept the connection open.")


def is_open(stream: socket.socket) -> bool:
    """Whether the service has not ended the connection yet."""
    stream.setblocking(False)  # noqa: FBT003 - The parameter has no name.
    try:
        return stream.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    finally:
        stream.settimeout(DEADLINE_SECONDS)
