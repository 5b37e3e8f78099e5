"""A proxy between a client and the service that records every call of an action."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx


@dataclass(frozen=True)
class RecordedCall:
    """What went over the wire; ``sent`` and ``received`` are JSON."""

    action: str
    sent: Any
    status: int
    received: Any


@dataclass
class RecordingProxy:
    url: str
    calls: list[RecordedCall] = field(default_factory=list)

    def properties_sent(self) -> dict[str, list[list[str]]]:
        """Return the properties of each call's body, by action, in the order of the calls."""
        found: dict[str, list[list[str]]] = {}
        for call in self.calls:
            found.setdefault(call.action, []).append(sorted(call.sent))
        return found


@contextmanager
def recording_proxy(service: str) -> Iterator[RecordingProxy]:
    """Forward POST requests to the service until the block ends."""
    with httpx.Client(base_url=service, timeout=60) as client:
        proxy = RecordingProxy("")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                kept = ("Authorization", "Content-Type")
                headers = {name: self.headers[name] for name in kept}
                response = client.post(self.path, content=body, headers=headers)
                action = self.path.rpartition("/")[2]
                proxy.calls.append(
                    RecordedCall(action, json.loads(body), response.status_code, response.json())
                )
                self.send_response(response.status_code)
                self.send_header("Content-Type", response.headers["Content-Type"])
                self.send_header("Content-Length", str(len(response.content)))
                self.end_headers()
                self.wfile.write(response.content)

            def log_message(self, *_arguments: object) -> None:
                """Write nothing: the calls are recorded."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            proxy.url = f"http://127.0.0.1:{server.server_port}"
            thread = Thread(target=server.serve_forever)
            thread.start()
            try:
                yield proxy
            finally:
                server.shutdown()
                thread.join()
