"""Runs Django (WSGI) under the ASGI server: a thread for as long as Django works, and no longer.

The complete request goes into a thread, the complete response comes out. A slow client costs the
event loop, never a thread. Django does not read files: Django hands over the open file
(``wsgi.file_wrapper`` of PEP 3333).
"""

import asyncio
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import lru_cache, partial
from http import HTTPStatus
from typing import IO, Any, Final

import obstore
from obstore.exceptions import BaseError
from starlette.types import Receive, Scope, Send

from visual_review.accounts.client_address import client_network
from visual_review.config.http.bodies import BODY, IN_MEMORY_BYTES, RequestBody, Spool, write_part
from visual_review.config.http.machine_calls import STATE, is_machine_call
from visual_review.config.http.threads import RequestThreads
from visual_review.kernel.blobs import BlobMissingError, BlobStore, blob_store, storage_error
from visual_review.kernel.errors import StorageFullError, UnavailableError
from visual_review.web.stored_images import BLOB_HEADER, IMAGE_GONE

CHUNK_BYTES: Final = 256 * 1024
Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
# At once, in this process. Each fetch has a part of a file in memory.
FETCHES: Final = 32
PART_BYTES: Final = 256 * 1024
# Includes the wait for other fetches. A browser waiting for longer is not going to show the image.
FETCH_SECONDS: Final = 25.0
DISK_FULL: Final = "The service's disk could not hold the image for you. Try again later."


@dataclass
class CollectedResponse:
    """A complete response."""

    status: int = 500
    headers: list[tuple[bytes, bytes]] = field(default_factory=list)
    # The body: `size` bytes of `file`, from `start`.
    file: IO[bytes] = field(default_factory=io.BytesIO)
    start: int = 0
    size: int = 0
    # Reading `file` may take time.
    on_disk: bool = False

    def start_response(
        self, status: str, headers: list[tuple[str, str]], _error: object = None
    ) -> None:
        self.status = int(status.partition(" ")[0])
        self.headers = [
            # Django's cookies begin with a space.
            (name.lower().encode("latin-1"), value.strip().encode("latin-1"))
            for name, value in headers
        ]

    @property
    def declared_size(self) -> int | None:
        return next((int(value) for name, value in self.headers if name == b"content-length"), None)

    def pop_header(self, name: str) -> str | None:
        """Remove a header not meant for the client; returns its value, or None."""
        wanted = name.lower().encode()
        found = next((value for key, value in self.headers if key == wanted), None)
        self.headers = [each for each in self.headers if each[0] != wanted]
        return None if found is None else found.decode("latin-1")

    def take_body(self) -> bytes:
        """Return the whole body of a response known to be small."""
        self.file.seek(self.start)
        with self.file:
            return self.file.read(self.size)


class FileWrapper:
    """Django's wrapper of a file; only other servers than the bridge iterate the wrapper."""

    def __init__(self, file: IO[bytes], block_size: int = CHUNK_BYTES) -> None:
        self.file = file
        self.block_size = block_size

    def __iter__(self) -> Iterator[bytes]:
        while part := self.file.read(self.block_size):
            yield part

    def close(self) -> None:
        self.file.close()


class DjangoBridge:
    """An ASGI application calling WSGI applications in the threads.

    ``machines`` gets the calls of programs, ``pages`` everything else.
    """

    def __init__(
        self,
        pages: Application,
        machines: Application,
        threads: RequestThreads,
        spool: Spool,
    ) -> None:
        self._pages = pages
        self._machines = machines
        self._threads = threads
        self._spool = spool
        self._remote_blobs = RemoteBlobs(spool)

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        response = await self.respond(scope)
        key = response.pop_header(BLOB_HEADER)
        if key is None:
            await send_response(response, scope["method"], send)
        else:
            await self._send_blob(response, key, scope, send)

    async def respond(self, scope: Scope) -> CollectedResponse:
        """Return Django's complete response."""
        application = self._machines if is_machine_call(scope["path"]) else self._pages
        body: RequestBody | None = scope.get(BODY)
        work = partial(self._call, application, build_environ(scope, body))
        try:
            # Organizations may share a network, such as the network of their CI provider.
            client = body.signed_for if body is not None else ""
            return await self._threads.run(client or client_of(scope), work)
        finally:
            if body is not None:
                # Free the body's place on the disk while the client reads the response.
                body.close()

    async def _send_blob(
        self, response: CollectedResponse, key: str, scope: Scope, send: Send
    ) -> None:
        """Send a blob of remote storage instead of the response's empty body."""
        # Django's length is the length of the empty body.
        response.pop_header("content-length")
        with ExitStack() as resources:
            if scope["method"] != "HEAD":
                response = await self._with_blob(response, key, resources)
            await send_response(response, scope["method"], send)

    async def _with_blob(
        self, response: CollectedResponse, key: str, resources: ExitStack
    ) -> CollectedResponse:
        response.file.close()
        try:
            blob = await self._remote_blobs.fetch(blob_store(), key, resources)
        except BlobMissingError:
            return error_response(HTTPStatus.NOT_FOUND, IMAGE_GONE)
        except StorageFullError as error:
            return error_response(HTTPStatus.INSUFFICIENT_STORAGE, str(error))
        except UnavailableError as error:
            return error_response(HTTPStatus.SERVICE_UNAVAILABLE, str(error))
        return CollectedResponse(
            response.status, response.headers, blob.file, size=blob.size, on_disk=blob.on_disk
        )

    def _call(self, application: Application, environ: dict[str, Any]) -> CollectedResponse:
        response = CollectedResponse()
        parts = application(environ, response.start_response)
        try:
            if isinstance(parts, FileWrapper):
                _take_file(parts.file, response)
            else:
                _take_parts(parts, response, self._spool)
        finally:
            # Closing ends Django's request: Django's signals must run in this thread.
            if hasattr(parts, "close"):
                parts.close()
        return response


def client_of(scope: Scope) -> str:
    """Return the network of the client; clients of a network share one limit."""
    client = scope.get("client")
    return client_network(client[0]) if client else ""


def _take_parts(parts: Iterable[bytes], response: CollectedResponse, spool: Spool) -> None:
    for part in parts:
        if not response.on_disk and response.size + len(part) > IN_MEMORY_BYTES:
            response.file, response.on_disk = _move_to_disk(response.file, spool), True
        response.size += response.file.write(part)
    response.file.flush()


def _move_to_disk(begun: IO[bytes], spool: Spool) -> IO[bytes]:
    file = spool.open()
    file.rollover()
    begun.seek(0)
    file.write(begun.read())
    return file


def _take_file(file: IO[bytes], response: CollectedResponse) -> None:
    """Read a small file; keep a larger one open after Django closed the response."""
    response.start = file.tell()
    remaining = os.fstat(file.fileno()).st_size - response.start
    declared = response.declared_size
    response.size = remaining if declared is None else min(remaining, declared)
    if response.size <= IN_MEMORY_BYTES:
        # Another thread for each image would cost more than the read.
        response.file, response.start = io.BytesIO(file.read(response.size)), 0
        return
    response.file = os.fdopen(os.dup(file.fileno()), "rb")
    response.on_disk = True


def error_response(status: HTTPStatus, message: str) -> CollectedResponse:
    """Return an error of the pages' scripts as Django's part does."""
    body = json.dumps({"error": message}).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    return CollectedResponse(status, headers, io.BytesIO(body), size=len(body))


async def send_response(response: CollectedResponse, method: str, send: Send) -> None:
    """Send the response, and close the file."""
    with response.file:
        await _send(response, method, send)


async def _send(response: CollectedResponse, method: str, send: Send) -> None:
    size = 0 if method == "HEAD" else response.size
    headers = response.headers
    if size and response.declared_size is None:
        headers = [*headers, (b"content-length", b"%d" % size)]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    position, end = response.start, response.start + size
    while True:
        part = await _read(response, position, min(CHUNK_BYTES, end - position))
        position += len(part)
        more = position < end
        if more and not part:
            # The file became shorter; the server closes the connection, and the client notices.
            return
        await send({"type": "http.response.body", "body": part, "more_body": more})
        if not more:
            return


async def _read(response: CollectedResponse, position: int, size: int) -> bytes:
    if not size:
        return b""
    if response.on_disk:
        return await asyncio.to_thread(os.pread, response.file.fileno(), size, position)
    response.file.seek(position)
    return response.file.read(size)


def build_environ(scope: Scope, body: RequestBody | None) -> dict[str, Any]:
    """Return the environment of a request (PEP 3333)."""
    server, port = scope.get("server") or ("localhost", 80)
    client = scope.get("client")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        # Django decodes the path again.
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("ascii"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server,
        "SERVER_PORT": str(port or 0),
        "REMOTE_ADDR": client[0] if client else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": body.file if body else io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileWrapper,
        STATE: scope.setdefault("state", {}),
    }
    for name, value in scope["headers"]:
        key = _header_key(name)
        text = value.decode("latin-1")
        # RFC 9110: repeated headers are one list; cookies have a separator of their own.
        separator = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{separator}{text}" if key in environ else text
    return environ


@lru_cache(maxsize=256)
def _header_key(name: bytes) -> str:
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"CONTENT_LENGTH", "CONTENT_TYPE"} else f"HTTP_{key}"


@dataclass(frozen=True)
class FetchedBlob:
    """A complete blob in ``file``, kept in memory by the spool if small."""

    file: IO[bytes]
    size: int
    on_disk: bool


class RemoteBlobs:
    """Blobs in temporary files: the storage and the client are each served at their own speed."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._slots = asyncio.Semaphore(FETCHES)

    async def fetch(self, blobs: BlobStore, key: str, resources: ExitStack) -> FetchedBlob:
        """Return a blob, whose place on the disk is reserved until ``resources`` end.

        Raises BlobMissingError, UnavailableError or StorageFullError.
        """
        try:
            async with asyncio.timeout(FETCH_SECONDS), self._slots:
                return await self._fetch(blobs, key, resources)
        except FileNotFoundError as error:
            raise BlobMissingError(key) from error
        except (BaseError, TimeoutError) as error:
            raise storage_error("read", key) from error

    async def _fetch(self, blobs: BlobStore, key: str, resources: ExitStack) -> FetchedBlob:
        found = await obstore.get_async(blobs.store, key)
        size = found.meta["size"]
        resources.enter_context(self._spool.reserve(size, signed=True))
        file = resources.enter_context(self._spool.open())
        async for part in found.stream(min_chunk_size=PART_BYTES):
            await write_part(file, bytes(part), size, DISK_FULL)
        file.flush()
        return FetchedBlob(file, size, on_disk=size > IN_MEMORY_BYTES)
