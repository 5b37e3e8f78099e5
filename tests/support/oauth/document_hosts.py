"""A local host of client documents, with the faulty responses needed in tests."""

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TypeVar

from tests.support.oauth.flow import REDIRECT
from tests.support.threads import WAIT_SECONDS

T = TypeVar("T")
Responder = Callable[[ssl.SSLSocket], None]
NAME = "localhost"


@dataclass
class Host:
    """``url`` is the served client ID; ``seen`` are the received requests."""

    port: int
    respond: Responder = lambda _: None
    seen: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"https://{NAME}:{self.port}/client.json"

    def document(self, **changes: object) -> dict[str, object]:
        document = {
            "client_id": self.url,
            "client_name": "Documented",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "none",
            **changes,
        }
        return {name: value for name, value in document.items() if value is not None}

    def reset(self) -> None:
        """Forget all requests, and serve a valid document."""
        self.seen.clear()
        self.connections = 0
        self.serve_document()

    def serve_document(self, **changes: object) -> None:
        """Serve a document that is valid except for ``changes``."""
        self.respond = send_response(200, json.dumps(self.document(**changes)).encode())


def send_response(
    status: int, body: bytes, *headers: str, kind: str = "application/json"
) -> Responder:
    lines = [f"HTTP/1.1 {status} Status", f"Content-Type: {kind}", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()
    return lambda connection: connection.sendall(head + body)


def send_slowly(content: bytes, every: float) -> Responder:
    """Send single bytes, each before a read would time out."""

    def respond(connection: ssl.SSLSocket) -> None:
        for number in range(len(content)):
            connection.sendall(content[number : number + 1])
            time.sleep(every)

    return respond


def wait_for(seconds: float) -> Responder:
    return lambda _: time.sleep(seconds)


@dataclass
class WaitingHost:
    """Keeps all requests waiting until ``count`` callers have called ``returned``."""

    count: int
    lock: Lock = field(default_factory=Lock)
    enough: Event = field(default_factory=Event)

    def respond(self, _connection: ssl.SSLSocket) -> None:
        self.enough.wait(WAIT_SECONDS)

    def returned(self) -> None:
        with self.lock:
            self.count -= 1
            if self.count == 0:
                self.enough.set()

    def then_returned(self, work: Callable[[], T]) -> Callable[[], T]:
        def run() -> T:
            try:
                return work()
            finally:
                self.returned()

        return run


@contextmanager
def serving(certificate: Path) -> Iterator[Host]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = Host(listener.getsockname()[1])
        Thread(target=_accept, args=[listener, context, host], daemon=True).start()
        yield host
        # Closing the listener alone would leave the thread waiting forever.
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, context: ssl.SSLContext, host: Host) -> None:
    with suppress(OSError):
        while True:
            plain, _ = listener.accept()
            host.connections += 1
            Thread(target=_serve, args=[plain, context, host], daemon=True).start()


def _serve(plain: socket.socket, context: ssl.SSLContext, host: Host) -> None:
    # In many tests the client disconnects early.
    with plain, suppress(OSError), context.wrap_socket(plain, server_side=True) as secure:
        host.seen.append(secure.recv(65536))
        host.respond(secure)
