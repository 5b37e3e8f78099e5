"""A server that behaves like Stripe's API for subscriptions, with idempotency keys.

Each changing call takes a fault from a list: ``500`` fails before the work, ``lost`` does the work
and closes the connection, ``slow`` does the work and never responds.
"""

import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

KEY = "sk_test_visual_review"
WEBHOOK_SECRET = "whsec_of_the_tests"
PATH = "/v1/subscriptions"


@dataclass
class FakeStripe:
    address: str
    # Every received call: method, path and idempotency key.
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    subscriptions: dict[str, dict[str, Any]] = field(default_factory=dict)
    responses: dict[str, tuple[str, int, dict[str, Any]]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    ending: threading.Event = field(default_factory=threading.Event)

    def active(self) -> list[dict[str, Any]]:
        return [each for each in self.subscriptions.values() if each["status"] == "active"]

    def forget_keys(self) -> None:
        """Forget the idempotency keys, as Stripe does after a day."""
        self.responses.clear()


def signed(event: dict[str, Any], secret: str = WEBHOOK_SECRET, age: int = 0) -> tuple[bytes, str]:
    """Return the body of a webhook and its signature header, like Stripe's."""
    body, at = json.dumps(event).encode(), int(time.time()) - age
    signature = hmac.digest(secret.encode(), f"{at}.".encode() + body, "sha256").hex()
    return body, f"t={at},v1={signature}"


@contextmanager
def fake_stripe() -> Iterator[FakeStripe]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    found = FakeStripe(f"http://127.0.0.1:{server.server_port}")
    server.state = found  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield found
    finally:
        found.ending.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def state(self) -> FakeStripe:
        found: FakeStripe = self.server.state  # type: ignore[attr-defined]
        return found

    def log_message(self, *_arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        state, path, query = self.state, urlsplit(self.path).path, self._query()
        self._note(path)
        if path != PATH:
            found = state.subscriptions.get(path.rpartition("/")[2])
            self._respond(*(200, found) if found else _missing(path))
            return
        rows = list(reversed(state.subscriptions.values()))
        ids = [row["id"] for row in rows]
        start = ids.index(query["starting_after"]) + 1 if "starting_after" in query else 0
        # Fewer than requested, to test pagination.
        page = rows[start : start + 2]
        more = start + 2 < len(rows)
        self._respond(200, {"object": "list", "url": PATH, "data": page, "has_more": more})

    def do_POST(self) -> None:
        form = self._body()
        self._change(urlsplit(self.path).path, form, lambda: self._create(form))

    def do_DELETE(self) -> None:
        path = urlsplit(self.path).path
        self._body()
        self._change(path, {}, lambda: self._cancel(path))

    def _change(self, path: str, form: dict[str, str], work: Any) -> None:  # noqa: ANN401 - A closure.
        state = self.state
        self._note(path)
        if self.headers.get("Authorization") != f"Bearer {KEY}":
            self._respond(401, {"error": {"type": "invalid_request_error", "message": "No key."}})
            return
        fault = state.faults.pop(0) if state.faults else ""
        if fault == "500":
            self._respond(500, {"error": {"type": "api_error", "message": "Sorry."}})
            return
        status, document = self._once(form, work)
        if fault == "slow":
            state.ending.wait(60)
        if fault in {"lost", "slow"}:
            self.close_connection = True
            return
        self._respond(status, document)

    def _once(self, form: dict[str, str], work: Any) -> tuple[int, dict[str, Any]]:  # noqa: ANN401 - As above.
        key, request = self.headers.get("Idempotency-Key", ""), json.dumps(form, sort_keys=True)
        with self.state.lock:
            if self.command == "POST" and key in self.state.responses:
                before, status, document = self.state.responses[key]
                if before != request:
                    message = (
                        "Keys for idempotent requests can only be used with the same parameters."
                    )
                    return 400, {"error": {"type": "idempotency_error", "message": message}}
                return status, document
            status, document = work()
            self.state.responses[key] = (request, status, document)
            return status, document

    def _create(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if form["items[0][price_data][currency]"] != "eur":
            message = "You cannot combine currencies on a single customer."
            return 400, {"error": {"type": "invalid_request_error", "message": message}}
        created = {
            "id": f"sub_{len(self.state.subscriptions) + 1}",
            "object": "subscription",
            "status": "active",
            "customer": form["customer"],
            "metadata": {
                name[len("metadata[") : -1]: value
                for name, value in form.items()
                if name.startswith("metadata[")
            },
            "amount": int(form["items[0][price_data][unit_amount]"]),
            "product": form["items[0][price_data][product]"],
        }
        self.state.subscriptions[str(created["id"])] = created
        return 200, created

    def _cancel(self, path: str) -> tuple[int, dict[str, Any]]:
        found = self.state.subscriptions.get(path.rpartition("/")[2])
        if found is None or found["status"] in {"canceled", "incomplete_expired"}:
            return _missing(path)
        found["status"] = "canceled"
        return 200, found

    def _note(self, path: str) -> None:
        self.state.calls.append((self.command, path, self.headers.get("Idempotency-Key", "")))

    def _query(self) -> dict[str, str]:
        return dict(parse_qsl(urlsplit(self.path).query))

    def _body(self) -> dict[str, str]:
        return dict(parse_qsl(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()))

    def _respond(self, status: int, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _missing(path: str) -> tuple[int, dict[str, Any]]:
    message = f"No such subscription: '{path.rpartition('/')[2]}'"
    error = {"type": "invalid_request_error", "code": "resource_missing", "message": message}
    return 404, {"error": error}
