"""Responses leave a thread complete: small ones in memory and as one message, others on disk."""

import asyncio
import io
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any

from starlette.types import Message, Receive, Scope

from tests.support.case import Case
from visual_review.config.http.bodies import BODY, IN_MEMORY_BYTES, RequestBody, Spool
from visual_review.config.http.django_bridge import DjangoBridge, FileWrapper, build_environ
from visual_review.config.http.threads import RequestThreads

SCOPE: Scope = {
    "type": "http",
    "method": "GET",
    "path": "/api/caf\u00e9",
    "query_string": b"a=1",
    "http_version": "1.1",
    "headers": [(b"host", b"x"), (b"accept", b"a"), (b"accept", b"b"), (b"cookie", b"c=1")],
    "client": ("192.0.2.1", 1),
    "server": ("x", 80),
}


class Application:
    """A WSGI application that responds with ``parts``, or with a file."""

    def __init__(self, *parts: bytes, file: IO[bytes] | None = None) -> None:
        self.parts = parts
        self.file = file
        self.calls: list[dict[str, Any]] = []

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
        self.calls.append(environ)
        start("200 OK", [("X-Kind", "test")])
        made: Any = iter(self.parts) if self.file is None else FileWrapper(self.file)
        return made


async def receive_nothing() -> Message:
    raise AssertionError("The bridge has the body already.")


def messages_of(application: Application, method: str = "GET", path: str = "/") -> list[Message]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def run() -> None:
        threads = RequestThreads(1)
        bridge = DjangoBridge(application, Application(b"machine"), threads, Spool(""))
        receive: Receive = receive_nothing
        try:
            await bridge({**SCOPE, "method": method, "path": path}, receive, send)
        finally:
            await asyncio.to_thread(threads.close)

    asyncio.run(run())
    return sent


def body_of(messages: list[Message]) -> bytes:
    return b"".join(message["body"] for message in messages[1:])


def test_a_small_response_is_two_messages(case: Case) -> None:
    for name, parts in [("one part", [b"ab"]), ("several", [b"a", b"", b"b"]), ("none", [])]:
        with case(name):
            start, body = messages_of(Application(*parts))
            expected = b"".join(parts)
            length = [(b"content-length", b"2")] if expected else []
            assert start["headers"] == [(b"x-kind", b"test"), *length]
            assert (body["body"], body["more_body"]) == (expected, False)


def test_a_large_response_is_sent_from_the_disk() -> None:
    parts = [bytes([number]) * 100_000 for number in range(9)]
    messages = messages_of(Application(*parts))
    assert body_of(messages) == b"".join(parts)
    assert messages[0]["headers"][-1] == (b"content-length", b"900000")
    assert all(len(message["body"]) <= 256 * 1024 for message in messages[1:])
    assert [message["more_body"] for message in messages[1:]][-2:] == [True, False]


def test_a_response_of_the_most_bytes_stays_in_memory() -> None:
    assert len(messages_of(Application(bytes(IN_MEMORY_BYTES)))) == 2


def test_a_file_is_sent_from_where_it_stands(tmp_path: Path, case: Case) -> None:
    path = tmp_path / "file"
    for size in (10, IN_MEMORY_BYTES + 5, 1_000_000):
        path.write_bytes(bytes(size - 1) + b"x")
        with case(size), path.open("rb") as file:
            file.seek(4)
            assert body_of(messages_of(Application(file=file))) == bytes(size - 5) + b"x"


def test_the_response_to_head_has_no_body() -> None:
    messages = messages_of(Application(b"body"), "HEAD")
    assert body_of(messages) == b""
    assert len(messages) == 2


def test_calls_of_programs_go_to_their_own_handler() -> None:
    assert body_of(messages_of(Application(b"page"), path="/api/ci/builds")) == b"machine"
    assert body_of(messages_of(Application(b"page"), path="/builds")) == b"page"


def test_organizations_of_one_network_upload_in_threads_of_their_own() -> None:
    release = threading.Event()

    class WaitingFirst(Application):
        def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterator[bytes]:
            parts = super().__call__(environ, start)
            if len(self.calls) == 1:
                release.wait()
            return parts

    async def run() -> None:
        # One client may have one of these threads at once.
        threads = RequestThreads(3)
        bridge = DjangoBridge(WaitingFirst(b"page"), WaitingFirst(b"stored"), threads, Spool(""))
        try:
            first = asyncio.create_task(bridge.respond(upload_of("org_theirs")))
            await asyncio.sleep(0)
            other = await bridge.respond(upload_of("org_ours"))
            assert other.take_body() == b"stored"
            assert not first.done()
        finally:
            release.set()
            await asyncio.to_thread(threads.close)

    asyncio.run(asyncio.wait_for(run(), 60))


def upload_of(organization_id: str) -> Scope:
    body = RequestBody(io.BytesIO(b"data"), 4, ExitStack(), organization_id)
    return {**SCOPE, "method": "PUT", "path": "/blobs/incoming/image", BODY: body}


def test_an_environment_has_repeated_headers_as_one() -> None:
    environ = build_environ(SCOPE, None)
    assert environ["HTTP_ACCEPT"] == "a,b"
    assert environ["HTTP_COOKIE"] == "c=1"
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/api/caf\u00e9"
    assert (environ["REMOTE_ADDR"], environ["QUERY_STRING"]) == ("192.0.2.1", "a=1")
