"""Server-sent events: Django checks access, the event loop sends the events."""

import asyncio
from typing import Final

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from visual_review.config.http.django_bridge import CollectedResponse, DjangoBridge, send_response
from visual_review.config.http.event_hub import EventHub, EventStream, TooManyStreamsError
from visual_review.web.server_events import (
    HEARTBEAT,
    READER_HEADER,
    changed_event,
    parse_reader,
)

PATH: Final = "/builds/{build_id}/events"
HEARTBEAT_SECONDS: Final = 15.0
# The reader comes back, and is checked again: people sign out, and members are removed.
LIFETIME_SECONDS: Final = 300.0
RETRY_SECONDS: Final = "30"
TOO_MANY: Final = (
    "Too many windows watch for changes at the moment. The page asks for changes instead."
)


class EventStreams:
    """An ASGI application: a page's response of one event, continued until the time limit."""

    def __init__(self, django: DjangoBridge, hub: EventHub) -> None:
        self._django = django
        self._hub = hub

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._django.respond(scope)
        reader = response.pop_header(READER_HEADER)
        if reader is None or scope["method"] != "GET":
            await send_response(response, scope["method"], send)
            return
        try:
            stream = self._hub.open(parse_reader(reader))
        except TooManyStreamsError:
            response.file.close()
            busy = JSONResponse({"error": TOO_MANY}, 503, {"retry-after": RETRY_SECONDS})
            await busy(scope, receive, send)
            return
        try:
            await _send_events(stream, response, receive, send)
        finally:
            self._hub.close(stream)


async def _send_events(
    stream: EventStream, response: CollectedResponse, receive: Receive, send: Send
) -> None:
    leaving = asyncio.create_task(_end_when_gone(stream, receive))
    try:
        await _send_until_end(stream, response, send)
    finally:
        leaving.cancel()


async def _end_when_gone(stream: EventStream, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    stream.end()


async def _send_until_end(stream: EventStream, response: CollectedResponse, send: Send) -> None:
    first = response.take_body()
    headers = [each for each in response.headers if each[0] != b"content-length"]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await send({"type": "http.response.body", "body": first, "more_body": True})
    loop = asyncio.get_running_loop()
    end = loop.time() + LIFETIME_SECONDS
    while not stream.ended and loop.time() < end:
        part = await _next_part(stream, min(HEARTBEAT_SECONDS, end - loop.time()))
        if part:
            await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _next_part(stream: EventStream, seconds: float) -> bytes:
    try:
        async with asyncio.timeout(seconds):
            await stream.woken.wait()
    except TimeoutError:
        return HEARTBEAT
    cursor = stream.take()
    return b"" if cursor is None else changed_event(cursor)
