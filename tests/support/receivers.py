"""A receiver of messages on this machine: real HTTP, with behavior chosen by a test."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from django.db.models import QuerySet
from procrastinate.contrib.django.models import ProcrastinateJob

from visual_review.jobs.messages import deliver_messages as job
from visual_review.messages.models import Channel, Delivery


@dataclass(frozen=True)
class ReceivedMessage:
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found


@dataclass
class Receiver:
    """``respond`` writes the response of a handler; ``received`` has all requests, in order."""

    url: str = ""
    received: list[ReceivedMessage] = field(default_factory=list)
    respond: Callable[[BaseHTTPRequestHandler], None] = field(
        default=lambda handler: answer(handler, 204)
    )

    @property
    def ids(self) -> list[str]:
        return [each.json["id"] for each in self.received]


def answer(handler: BaseHTTPRequestHandler, status: int, body: bytes = b"") -> None:
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


@contextmanager
def running_receiver() -> Iterator[Receiver]:
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            receiver.received.append(ReceivedMessage(dict(self.headers), body))
            receiver.respond(self)

        def log_message(self, *_args: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    receiver.url = f"http://127.0.0.1:{server.server_port}/events"
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()


def delivery_jobs() -> QuerySet[ProcrastinateJob]:
    rows = ProcrastinateJob.objects.filter(task_name__startswith="deliver_messages")
    return rows.filter(status="todo")


def run_jobs() -> None:
    """Run the waiting jobs, as if every pause were over; once each."""
    Channel.objects.update(retry_at=None)
    Delivery.objects.filter(state="waiting").update(next_try_at=None)
    rows = delivery_jobs()
    calls = {each.args["channel_id"]: each.args["organization_id"] for each in rows}
    rows._raw_delete("default")  # noqa: SLF001 - The model is read-only.
    for channel_id, organization_id in calls.items():
        job.deliver(organization_id, channel_id)
