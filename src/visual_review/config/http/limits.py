"""Buffers request bodies completely before a thread handles the request.

A slow sender then occupies some disk space instead of one of the few threads. Every request also
gets a length, which Django needs and chunked uploads lack, and interrupted ones are dropped.
"""

import json
from tempfile import SpooledTemporaryFile

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAXIMUM_BYTES = 128 * 1024 * 1024
IN_MEMORY_BYTES = 1024 * 1024
LAST_ASCII = 0x7F
CHUNK_BYTES = 256 * 1024


def problem(status: int, title: str, detail: str) -> Response:
    """Return a problem document (RFC 9457), as Django's part does for errors of the API."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return Response(json.dumps(body), status, media_type="application/problem+json")


TOO_LARGE = problem(
    413, "Content Too Large", f"A request body must not be larger than {MAXIMUM_BYTES} bytes."
)


class BodyLimits:
    """Middleware: forwards requests with a complete body, rejects larger ones with 413."""

    def __init__(self, app: ASGIApp, maximum: int = MAXIMUM_BYTES) -> None:
        self.app = app
        self.maximum = maximum

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as body:
            size = await self._read_body(receive, body)
            if size is None:
                return
            if size > self.maximum:
                await TOO_LARGE(scope, receive, send)
                return
            body.seek(0)
            await self.app(_with_length(scope, size), _make_receive(body, size, receive), send)

    async def _read_body(self, receive: Receive, body: "SpooledTemporaryFile[bytes]") -> int | None:
        """Return the size of the body; None after a disconnect, above the maximum if too large."""
        size = 0
        while size <= self.maximum:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            part = message.get("body", b"")
            size += len(part)
            body.write(part)
            if not message.get("more_body", False):
                break
        return size


def _make_receive(body: "SpooledTemporaryFile[bytes]", size: int, receive: Receive) -> Receive:
    sent = 0
    done = False

    async def receive_body() -> Message:
        nonlocal sent, done
        if done:
            return await receive()
        part = body.read(CHUNK_BYTES)
        sent += len(part)
        done = sent >= size
        return {"type": "http.request", "body": part, "more_body": not done}

    return receive_body


def _with_length(scope: Scope, size: int) -> Scope:
    headers = [
        (name, value)
        for name, value in scope["headers"]
        # WSGI cannot distinguish an underscore in a name from a dash.
        if name not in {b"content-length", b"transfer-encoding"} and b"_" not in name
    ]
    # A query may contain bytes above ASCII, which WSGI does not support.
    query = b"".join(
        bytes([byte]) if byte <= LAST_ASCII else b"%%%02X" % byte for byte in scope["query_string"]
    )
    length = (b"content-length", str(size).encode())
    return {**scope, "headers": [*headers, length], "query_string": query}
