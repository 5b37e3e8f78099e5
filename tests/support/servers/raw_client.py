"""Plain sockets to the web application, for clients that do not follow the protocol's manners."""

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

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
        """Open a connection, send these bytes as far as they are taken, and reset it at the end."""
        parts = urlsplit(self.url)
        with socket.create_connection((parts.hostname, parts.port), DEADLINE_SECONDS) as stream:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
            stream.setblocking(False)  # noqa: FBT003 - The parameter has no name.
            with suppress(BlockingIOError):
                stream.send(sent)
            stream.settimeout(DEADLINE_SECONDS)
            yield stream


def response_status(stream: socket.socket) -> int:
    """Return the status of the response that arrives."""
    head = b""
    while b"\r\n" not in head:
        part = stream.recv(4096)
        if not part:
            raise AssertionError("The service closed the connection without a response.")
        head += part
    return int(head.split()[1])


def wait_for_end(stream: socket.socket) -> None:
    """Return when the service has ended the connection; fails if it does not."""
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
    """Return when the service has reset the connection, without reading what it sent."""
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
