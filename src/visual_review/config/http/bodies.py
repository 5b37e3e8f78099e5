"""Receives request bodies completely, within the limit of their URL, before a thread handles them.

A slow sender then occupies some disk space instead of one of the few threads. Every request also
gets a length, which Django needs and chunked uploads lack, and interrupted ones are dropped.
"""

import asyncio
import json
from contextlib import ExitStack
from http import HTTPStatus
from io import BytesIO
from typing import IO, Final, Protocol

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.api.errors import PROBLEM_TYPE, problem_document
from visual_review.config.http.body_limits import BodyLimit
from visual_review.config.http.request_state import RequestBody, request_state
from visual_review.config.http.spool import IN_MEMORY_BYTES, Spool, write_part
from visual_review.kernel.client_address import client_network
from visual_review.kernel.errors import StorageFullError, UnavailableError

# A sender that pauses for longer has lost its connection.
SILENCE_SECONDS: Final = 20.0
# Every body gets this long; larger ones get more, at the least rate.
GRACE_SECONDS: Final = 30.0
LEAST_BYTES_PER_SECOND: Final = 8 * 1024
RETRY_SECONDS: Final = "10"
LAST_ASCII: Final = 0x7F
REPLACED: Final = frozenset({b"content-length", b"transfer-encoding"})
CHUNK_BYTES: Final = 64 * 1024
DISK_FULL: Final = (
    "The service's disk could not store the request. Nothing was changed; try again later."
)
TOO_SLOW: Final = "The request body arrived too slowly. Nothing was stored; send it again."


class BodyTooLargeError(Exception):
    """The body is larger than its limit."""


class ClientDisconnectedError(Exception):
    """The client disconnected before the body was complete."""


class LimitsByUrl(Protocol):
    """Decides how large the body of a request may be."""

    async def limit_of(self, scope: Scope) -> BodyLimit: ...


class RequestBodies:
    """Middleware: forwards requests with a complete body, rejects the others."""

    def __init__(self, app: ASGIApp, limits: LimitsByUrl, spool: Spool) -> None:
        self.app = app
        self.limits = limits
        self.spool = spool

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        state = request_state(scope)
        client = scope.get("client")
        state.client = client_network(client[0]) if client else ""
        with ExitStack() as resources:
            try:
                rejected = await self._receive_or_reject(scope, receive, resources)
            except ClientDisconnectedError:
                return
            scope = _with_length(scope, state.body.size if state.body else 0)
            await (rejected or self.app)(scope, _make_receive(state.body, receive), send)

    async def _receive_or_reject(
        self, scope: Scope, receive: Receive, resources: ExitStack
    ) -> Response | None:
        limit = await self.limits.limit_of(scope)
        try:
            await self._receive(scope, receive, limit, resources)
        except BodyTooLargeError:
            return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit.explain())
        except TimeoutError:
            return problem(HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW)
        except StorageFullError as error:
            return problem(HTTPStatus.INSUFFICIENT_STORAGE, str(error))
        except UnavailableError as error:
            retry = {"retry-after": RETRY_SECONDS}
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error), retry)
        return None

    async def _receive(
        self, scope: Scope, receive: Receive, limit: BodyLimit, resources: ExitStack
    ) -> None:
        """Put the complete body into the state of the request, until ``resources`` end."""
        expected = _expected_bytes(scope, limit)
        if not expected:
            return
        state = request_state(scope)
        if state.arrived and expected <= IN_MEMORY_BYTES:
            state.body = _keep_in_memory(await receive(), limit.most)
            return
        own = resources.enter_context(ExitStack())
        own.enter_context(self.spool.reserve(expected, signed=limit.signed))
        file = own.enter_context(self.spool.open())
        size = await _receive_into(file, receive, limit.most)
        file.seek(0)
        state.body = RequestBody(file, size, own)


def problem(status: HTTPStatus, detail: str, headers: dict[str, str] | None = None) -> Response:
    """Return a problem document, as Django's part does for errors of the API."""
    body = json.dumps(problem_document(status, detail))
    more = {"cache-control": "no-store", **(headers or {})}
    return Response(body, status, more, PROBLEM_TYPE)


def _expected_bytes(scope: Scope, limit: BodyLimit) -> int:
    """Return how many bytes may arrive; raises BodyTooLargeError for a larger Content-Length."""
    if not limit.most:
        return 0
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return limit.most
    length = int(headers.get(b"content-length", b"0"))
    if length > limit.most:
        raise BodyTooLargeError
    return length


def _keep_in_memory(message: Message, most: int) -> RequestBody:
    if message["type"] == "http.disconnect":
        raise ClientDisconnectedError
    part: bytes = message["body"]
    if len(part) > most:
        raise BodyTooLargeError
    return RequestBody(BytesIO(part), len(part))


async def _receive_into(file: IO[bytes], receive: Receive, most: int) -> int:
    """Write the body to ``file``; returns its size in bytes.

    Raises BodyTooLargeError, ClientDisconnectedError, or TimeoutError for a slow sender.
    """
    size = 0
    began = asyncio.get_running_loop().time()
    while True:
        # The rate counts from the beginning, so that single bytes now and then do not help.
        deadline = began + GRACE_SECONDS + size / LEAST_BYTES_PER_SECOND
        silence = asyncio.get_running_loop().time() + SILENCE_SECONDS
        async with asyncio.timeout_at(min(deadline, silence)):
            message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnectedError
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise BodyTooLargeError
        await write_part(file, part, size, DISK_FULL)
        if not message.get("more_body", False):
            return size


def _make_receive(body: RequestBody | None, receive: Receive) -> Receive:
    """Return what replays the body, for applications that do not read its file."""
    done = False

    async def receive_body() -> Message:
        nonlocal done
        if done:
            return await receive()
        part = body.file.read(CHUNK_BYTES) if body else b""
        done = body is None or body.file.tell() >= body.size
        return {"type": "http.request", "body": part, "more_body": not done}

    return receive_body


def _with_length(scope: Scope, size: int) -> Scope:
    # WSGI cannot distinguish an underscore in a name from a dash.
    headers = [each for each in scope["headers"] if each[0] not in REPLACED and b"_" not in each[0]]
    headers.append((b"content-length", b"%d" % size))
    return {**scope, "headers": headers, "query_string": _escape(scope["query_string"])}


def _escape(query: bytes) -> bytes:
    """Escape bytes above ASCII, which WSGI does not support."""
    if query.isascii():
        return query
    return b"".join(bytes([byte]) if byte <= LAST_ASCII else b"%%%02X" % byte for byte in query)
