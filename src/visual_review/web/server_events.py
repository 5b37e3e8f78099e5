"""The text of server-sent events, and how a page hands an event stream to the web process.

A view responds with the first event, and names the reader. The web process continues from there
without a thread. Served by any other server, the response ends after the first event and the
browser asks again: polling.
"""

import json
import random
from dataclasses import dataclass
from typing import Final

from django.http import HttpResponse

EVENT_STREAM: Final = "text/event-stream"
# Only between the view and the web process; the web process removes the header.
READER_HEADER: Final = "X-Event-Stream"
# Any longer, and proxies or phones would take the connection for dead.
HEARTBEAT: Final = b": still here\n\n"
# Spread, so that a restart does not bring back everyone at once.
RETRY_MILLISECONDS: Final = (1000, 4000)


@dataclass(frozen=True)
class StreamReader:
    """Who reads the events of which build, and the last sent cursor."""

    person: str
    build: str
    cursor: str


def changed_event(cursor: str) -> bytes:
    """Return the event on how far the build's page has changed."""
    return f"event: changed\ndata: {json.dumps({'cursor': cursor})}\n\n".encode()


def begin_stream(reader: StreamReader) -> HttpResponse:
    """Return the beginning of a stream, which the web process continues."""
    retry = random.randint(*RETRY_MILLISECONDS)  # noqa: S311 - The number spreads requests.
    body = f"retry: {retry}\n".encode() + changed_event(reader.cursor)
    response = HttpResponse(body, content_type=EVENT_STREAM)
    response["Cache-Control"] = "no-store"
    # nginx would collect the events up to 8 kB.
    response["X-Accel-Buffering"] = "no"
    response[READER_HEADER] = f"{reader.person} {reader.build} {reader.cursor}"
    return response


def parse_reader(header: str) -> StreamReader:
    """Return the reader named by ``begin_stream``."""
    return StreamReader(*header.split(" "))
