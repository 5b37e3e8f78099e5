"""Request bodies are taken in whole before a thread begins to work on them.

A slow sender then holds some bytes on disk, not one of the few threads. It also gives every
request a length, which Django needs and chunked uploads lack, and ends those cut halfway.
"""

from tempfile import SpooledTemporaryFile

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.config.http.problems import problem

MAXIMUM_BYTES = 128 * 1024 * 1024
IN_MEMORY_BYTES = 1024 * 1024
LAST_ASCII = 0x7F
CHUNK_BYTES = 256 * 1024
TOO_LARGE = problem(
    413, "Content Too Large", f"No request may be larger than {MAXIMUM_BYTES} bytes."
)


class BodyLimits:
    """Middleware: hands on requests whose body has arrived, answers 413 to those too large."""

    def __init__(self, app: ASGIApp, maximum: int = MAXIMUM_BYTES) -> None:
        self.app = app
        self.maximum = maximum

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        with SpooledTemporaryFile(max_size=IN_MEMORY_BYTES) as body:
            size = await self._take(receive, body)
            if size is None:
                return
            if size > self.maximum:
                await TOO_LARGE(scope, receive, send)
                return
            body.seek(0)
            await self.app(_with_length(scope, size), _replay(body, size, receive), send)

    async def _take(self, receive: Receive, body: "SpooledTemporaryFile[bytes]") -> int | None:
        """The body's bytes; None when the sender went away, above the maximum when too large."""
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


def _replay(body: "SpooledTemporaryFile[bytes]", size: int, receive: Receive) -> Receive:
    sent = 0
    done = False

    async def replayed() -> Message:
        nonlocal sent, done
        if done:
            return await receive()
        part = body.read(CHUNK_BYTES)
        sent += len(part)
        done = sent >= size
        return {"type": "http.request", "body": part, "more_body": not done}

    return replayed


def _with_length(scope: Scope, size: int) -> Scope:
    headers = [
        (name, value)
        for name, value in scope["headers"]
        # Names with an underscore would be mistaken for the same with a dash.
        if name not in {b"content-length", b"transfer-encoding"} and b"_" not in name
    ]
    # A query may hold raw bytes above ASCII, which WSGI has no place for.
    query = b"".join(
        bytes([byte]) if byte <= LAST_ASCII else b"%%%02X" % byte for byte in scope["query_string"]
    )
    length = (b"content-length", str(size).encode())
    return {**scope, "headers": [*headers, length], "query_string": query}
