"""A host of client documents on this machine that responds as badly as a test wants."""

import json
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from tests.support.oauth.flow import REDIRECT

Answer = Callable[[ssl.SSLSocket], None]
NAME = "localhost"


@dataclass
class Host:
    """``address`` is the client id it serves; ``seen`` are the requests that arrived."""

    port: int
    answer: Answer = lambda _: None
    seen: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def address(self) -> str:
        return f"https://{NAME}:{self.port}/client.json"

    def document(self, **changes: object) -> dict[str, object]:
        document = {
            "client_id": self.address,
            "client_name": "Documented",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": "none",
            **changes,
        }
        return {name: value for name, value in document.items() if value is not None}

    def reset(self) -> None:
        """Forget all requests, and answer with a right document."""
        self.seen.clear()
        self.connections = 0
        self.tells()

    def tells(self, **changes: object) -> None:
        """Answer with a document that is right but for ``changes``."""
        self.answer = sends(200, json.dumps(self.document(**changes)).encode())


def sends(status: int, body: bytes, *headers: str, kind: str = "application/json") -> Answer:
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Type: {kind}", *headers]
    head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()
    return lambda connection: connection.sendall(head + body)


def drips(content: bytes, every: float) -> Answer:
    """One byte after the other, each long before a wait for one would end."""

    def answer(connection: ssl.SSLSocket) -> None:
        for number in range(len(content)):
            connection.sendall(content[number : number + 1])
            time.sleep(every)

    return answer


def waits(seconds: float) -> Answer:
    return lambda _: time.sleep(seconds)


@contextmanager
def serving(certificate: Path) -> Iterator[Host]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = Host(listener.getsockname()[1])
        Thread(target=_accept, args=[listener, context, host], daemon=True).start()
        yield host
        # Closing alone would leave the thread waiting for ever.
        listener.shutdown(socket.SHUT_RDWR)


def _accept(listener: socket.socket, context: ssl.SSLContext, host: Host) -> None:
    with suppress(OSError):
        while True:
            plain, _ = listener.accept()
            host.connections += 1
            Thread(target=_serve, args=[plain, context, host], daemon=True).start()


def _serve(plain: socket.socket, context: ssl.SSLContext, host: Host) -> None:
    # A client that goes away in the middle is what many tests are about.
    with plain, suppress(OSError), context.wrap_socket(plain, server_side=True) as secure:
        host.seen.append(secure.recv(65536))
        host.answer(secure)
