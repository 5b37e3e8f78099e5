"""Receives request bodies completely, within the limit of their URL and of the disk.

A slow sender then occupies some disk space instead of one of the few threads. Every request also
gets a length, needed by Django and missing in chunked uploads; interrupted requests are dropped.
"""

import asyncio
import json
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Final, Protocol
from urllib.parse import parse_qsl

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from visual_review.api.errors import PROBLEM_TYPE, problem_document
from visual_review.api.json_bodies import ACTION_LIMIT, MANIFEST_LIMIT
from visual_review.api.webhooks.hosts import MAX_DELIVERY_BYTES, may_be_genuine
from visual_review.config.http.threads import RequestThreads
from visual_review.kernel.blobs import LINK_PATH, MINIMUM_FREE_BYTES, LinkInvalidError, check_link
from visual_review.kernel.errors import StorageFullError, UnavailableError

FOLDER: Final = "bodies"
IN_MEMORY_BYTES: Final = 128 * 1024
# All bodies together of callers who have not proven anything yet.
MAX_UNSIGNED_BYTES: Final = 512 * 1024 * 1024
BLOBS: Final = f"{LINK_PATH}/"
DELIVERIES: Final = "/api/webhooks/hosts/"
CI: Final = "/api/ci/"
MAX_UPLOAD_BYTES: Final = 128 * 1024 * 1024
# Not a client of the network: a client with many requests does not delay another's delivery.
CLIENT: Final = "limits"
# In the scope of a request whose body has arrived.
BODY: Final = "visual_review.body"
# A sender with a longer pause has lost its connection.
SILENCE_SECONDS: Final = 30.0
# Every body gets this long; larger ones get more, at the least rate.
GRACE_SECONDS: Final = 30.0
LEAST_BYTES_PER_SECOND: Final = 8 * 1024
DISCARD_SECONDS: Final = 10.0
RETRY_SECONDS: Final = "10"
LAST_ASCII: Final = 0x7F
REPLACED: Final = frozenset({b"content-length", b"transfer-encoding"})
CHUNK_BYTES: Final = 64 * 1024
DISK_FULL: Final = (
    "The service's disk could not store the request. Nothing was changed; try again later."
)
TOO_SLOW: Final = "The request body arrived too slowly. Nothing was stored; send it again."


class Spool:
    """A folder of unnamed files, which disappear with the process."""

    def __init__(self, parent: str) -> None:
        """Use a folder in ``parent``; if empty, the system's folder for temporary files."""
        self._folder = Path(parent) / FOLDER if parent else Path(gettempdir())
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._reserved = 0
        self._unsigned = 0

    def open(self) -> "SpooledTemporaryFile[bytes]":
        """Return a file kept in memory up to IN_MEMORY_BYTES."""
        return SpooledTemporaryFile(max_size=IN_MEMORY_BYTES, dir=str(self._folder))

    @contextmanager
    def reserve(self, size: int, *, signed: bool) -> Iterator[None]:
        """Reserve ``size`` bytes of the disk until the block ends.

        ``signed``: the caller has a signed URL. Raises StorageFullError if the bytes would fill the
        disk, UnavailableError if the bodies of unknown callers take too much already.
        """
        if size <= IN_MEMORY_BYTES:
            yield
            return
        self._check(size, signed=signed)
        unsigned = 0 if signed else size
        self._reserved += size
        self._unsigned += unsigned
        try:
            yield
        finally:
            self._reserved -= size
            self._unsigned -= unsigned

    def _check(self, size: int, *, signed: bool) -> None:
        if not signed and self._unsigned + size > MAX_UNSIGNED_BYTES:
            raise UnavailableError(
                "The service is receiving too many large requests. Nothing was read; try again."
            )
        free = shutil.disk_usage(self._folder).free
        if free < self._reserved + size + MINIMUM_FREE_BYTES:
            raise StorageFullError(
                "The service's disk is almost full, so it cannot receive this request. Nothing "
                "was read. Its operator must free some space."
            )


async def write_part(file: IO[bytes], part: bytes, size: int, full_message: str) -> None:
    """Write a part of a body; with the part, the body has ``size`` bytes.

    Raises StorageFullError with ``full_message`` if the disk cannot store the part.
    """
    if size <= IN_MEMORY_BYTES:
        file.write(part)
        return
    try:
        # A busy disk must not stop the event loop.
        await asyncio.to_thread(file.write, part)
    except OSError as error:
        raise StorageFullError(full_message) from error


@dataclass(frozen=True)
class BodyLimit:
    """The most bytes; 0 for an unread body, since the request is going to fail.

    ``signed_for``: the organization of the caller's valid signed URL.
    """

    most: int
    signed_for: str = ""

    def explain(self) -> str:
        return (
            f"The request body must not be larger than {self.most} bytes at this URL. Nothing was "
            "stored."
        )


UNREAD: Final = BodyLimit(0)
USUAL: Final = BodyLimit(ACTION_LIMIT)
MANIFEST: Final = BodyLimit(MANIFEST_LIMIT)
DELIVERY: Final = BodyLimit(MAX_DELIVERY_BYTES)


class BodyLimits:
    """Decides with the help of the database who may send a large body."""

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads

    async def limit_of(self, scope: Scope) -> BodyLimit:
        path: str = scope["path"]
        if path.startswith(BLOBS):
            return _upload_limit(scope, path.removeprefix(BLOBS))
        if path.startswith(CI):
            # Without a credential the response is the same for any body.
            return MANIFEST if "authorization" in Headers(scope=scope) else UNREAD
        if path.startswith(DELIVERIES):
            account_id = path.removeprefix(DELIVERIES)
            headers = dict(Headers(scope=scope))
            genuine = await self._threads.run(CLIENT, partial(may_be_genuine, account_id, headers))
            return DELIVERY if genuine else UNREAD
        return USUAL


def _upload_limit(scope: Scope, key: str) -> BodyLimit:
    if scope["method"] != "PUT":
        return UNREAD
    query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
    try:
        check_link(key, query, "PUT")
    except LinkInvalidError:
        return UNREAD
    _, organization_id, *_ = key.split("/")
    return BodyLimit(MAX_UPLOAD_BYTES, organization_id)


class BodyTooLargeError(Exception):
    """The body is larger than the limit."""


class ClientDisconnectedError(Exception):
    """The client disconnected before the body was complete."""


@dataclass(slots=True)
class RequestBody:
    """A complete body of ``size`` bytes; ``close`` frees the body's place on the disk, if any.

    ``signed_for``: the organization of the signed URL, if the body was sent to one.
    """

    file: IO[bytes]
    size: int
    resources: ExitStack
    signed_for: str = ""

    def close(self) -> None:
        self.resources.close()


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
        with ExitStack() as resources:
            try:
                body = await self._receive_or_reject(scope, receive, resources)
            except ClientDisconnectedError:
                return
            if isinstance(body, Response):
                await _reject(body, scope, receive, send)
                return
            scope = _with_body(scope, body)
            await self.app(scope, _make_receive(body, receive), send)

    async def _receive_or_reject(
        self, scope: Scope, receive: Receive, resources: ExitStack
    ) -> RequestBody | Response | None:
        limit = await self.limits.limit_of(scope)
        try:
            return await self._receive(scope, receive, limit, resources)
        except BodyTooLargeError:
            return problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, limit.explain())
        except TimeoutError:
            return problem(HTTPStatus.REQUEST_TIMEOUT, TOO_SLOW)
        except StorageFullError as error:
            return problem(HTTPStatus.INSUFFICIENT_STORAGE, str(error))
        except UnavailableError as error:
            retry = {"retry-after": RETRY_SECONDS}
            return problem(HTTPStatus.SERVICE_UNAVAILABLE, str(error), retry)

    async def _receive(
        self, scope: Scope, receive: Receive, limit: BodyLimit, resources: ExitStack
    ) -> RequestBody | None:
        """Return the complete body, until ``resources`` end, or None without a body."""
        expected = _expected_bytes(scope, limit)
        if not expected:
            return None
        own = resources.enter_context(ExitStack())
        own.enter_context(self.spool.reserve(expected, signed=bool(limit.signed_for)))
        file = own.enter_context(self.spool.open())
        size = await _receive_into(file, receive, limit.most)
        file.seek(0)
        return RequestBody(file, size, own, limit.signed_for)


async def _reject(response: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Send the response, then discard the rest of the body for a while.

    If the connection were closed immediately, a client still sending would lose the response.
    """

    async def send_unfinished(message: Message) -> None:
        more = {"more_body": True} if message["type"] == "http.response.body" else {}
        await send({**message, **more})

    await response(scope, receive, send_unfinished)
    with suppress(TimeoutError):
        async with asyncio.timeout(DISCARD_SECONDS):
            while (await receive()).get("more_body", False):
                pass
    await send({"type": "http.response.body", "body": b"", "more_body": False})


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


async def _receive_into(file: IO[bytes], receive: Receive, most: int) -> int:
    """Write the body to ``file``; returns the size in bytes.

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
    """Return a callable replaying the body, for applications that do not read the file."""
    done = False

    async def receive_body() -> Message:
        nonlocal done
        if done:
            return await receive()
        part = body.file.read(CHUNK_BYTES) if body else b""
        done = body is None or body.file.tell() >= body.size
        return {"type": "http.request", "body": part, "more_body": not done}

    return receive_body


def _with_body(scope: Scope, body: RequestBody | None) -> Scope:
    # WSGI cannot distinguish an underscore in a name from a dash.
    headers = [each for each in scope["headers"] if each[0] not in REPLACED and b"_" not in each[0]]
    headers.append((b"content-length", b"%d" % (body.size if body else 0)))
    query = _escape(scope["query_string"])
    return {**scope, "headers": headers, "query_string": query, BODY: body}


def _escape(query: bytes) -> bytes:
    """Escape bytes above ASCII, unsupported by WSGI."""
    if query.isascii():
        return query
    return b"".join(bytes([byte]) if byte <= LAST_ASCII else b"%%%02X" % byte for byte in query)
