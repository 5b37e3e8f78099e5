"""One request and its response, between an application and a connection."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tests.support.case import Case
from visual_review.config.http.exchange import PART_BYTES, Exchange
from visual_review.config.http.request_head import Framing, Headers
from visual_review.config.http.request_state import RequestState

START: Message = {"type": "http.response.start", "status": 200, "headers": []}


@dataclass
class FakeConnection:
    """Keeps what is written."""

    default_headers: Headers = field(default_factory=list)
    writes: list[bytes] = field(default_factory=list)
    ended: list[bool] = field(default_factory=list)
    closed: bool = False
    reading: int = 0

    def write(self, data: bytes | memoryview) -> None:
        self.writes.append(bytes(data))

    async def wait_until_writable(self) -> None:
        await asyncio.sleep(0)

    def resume_reading(self) -> None:
        self.reading += 1

    def end_response(self, *, keep_alive: bool) -> None:
        self.ended.append(keep_alive)

    def close(self) -> None:
        self.closed = True


def exchange_on(connection: FakeConnection, framing: Framing, path: str = "/") -> Exchange:
    scope = {"type": "http", "method": "POST", "http_version": "1.1", "path": path}
    return Exchange(connection, scope, RequestState(), framing, keep_alive=True)


def response_of(*parts: bytes) -> ASGIApp:
    async def respond(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(dict(START))
        for number, part in enumerate(parts, 1):
            more = number < len(parts)
            await send({"type": "http.response.body", "body": part, "more_body": more})

    return respond


def run_with(app: ASGIApp) -> FakeConnection:
    connection = FakeConnection()
    asyncio.run(exchange_on(connection, Framing()).run(app))
    return connection


def test_a_small_response_is_one_write() -> None:
    connection = run_with(response_of(b"body"))
    assert connection.writes == [b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody"]
    assert (connection.ended, connection.closed) == ([True], False)


def test_a_large_response_is_written_in_parts() -> None:
    connection = run_with(response_of(bytes(3 * PART_BYTES)))
    assert all(len(written) <= PART_BYTES for written in connection.writes)
    assert len(b"".join(connection.writes).partition(b"\r\n\r\n")[2]) == 3 * PART_BYTES


def test_a_response_in_several_messages_is_chunked() -> None:
    connection = run_with(response_of(b"one", b"", b"two"))
    body = b"".join(connection.writes).partition(b"\r\n\r\n")[2]
    assert body == b"3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"


async def fail(_scope: Scope, _receive: Receive, _send: Send) -> None:
    raise ValueError("internal")


def test_a_failure_below_api_is_a_problem_document() -> None:
    connection = FakeConnection()
    asyncio.run(exchange_on(connection, Framing(), "/api/mcp").run(fail))
    head, _, body = b"".join(connection.writes).partition(b"\r\n\r\n")
    assert b"content-type: application/problem+json" in head
    assert json.loads(body)["status"] == 500


async def fail_later(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send(dict(START))
    await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    raise ValueError("internal")


async def send_too_little(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send({**START, "headers": [(b"content-length", b"9")]})
    await send({"type": "http.response.body", "body": b"few"})


async def send_nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    pass


async def send_two_starts(_scope: Scope, _receive: Receive, send: Send) -> None:
    await send(dict(START))
    await send(dict(START))


def test_an_application_that_fails_gets_an_error_or_the_end_of_the_connection(
    case: Case, caplog: pytest.LogCaptureFixture
) -> None:
    for app, error, closed in [
        (fail, True, False),
        (fail_later, False, True),
        (send_too_little, False, True),
        (send_nothing, False, True),
        (send_two_starts, True, False),
    ]:
        caplog.clear()
        with case(app.__name__):
            connection = run_with(app)
            written = b"".join(connection.writes)
            assert written.startswith(b"HTTP/1.1 500 ") is error
            assert b"internal" not in written
            assert connection.closed is closed
            assert len(caplog.records) == 1


def received_from(work: Callable[[Exchange], Awaitable[None]]) -> FakeConnection:
    connection = FakeConnection()
    asyncio.run(_run(work(exchange_on(connection, Framing(6, expects_continue=True)))))
    return connection


async def _run(work: Awaitable[None]) -> None:
    await work


def test_a_body_is_received_as_it_arrives_and_asked_for() -> None:
    async def work(exchange: Exchange) -> None:
        waiting = asyncio.create_task(exchange.receive())
        await asyncio.sleep(0)
        exchange.add_body(b"ab")
        first = await waiting
        assert (first["body"], first["more_body"]) == (b"ab", True)
        assert exchange.add_body(b"cd") == 2
        assert exchange.add_body(b"ef") == 4
        exchange.end_body()
        assert not exchange.state.arrived
        second = await exchange.receive()
        assert (second["body"], second["more_body"]) == (b"cdef", False)

    assert received_from(work).writes == [b"HTTP/1.1 100 Continue\r\n\r\n"]


def test_a_body_that_arrived_whole_is_one_message() -> None:
    async def work(exchange: Exchange) -> None:
        exchange.add_body(b"abc")
        exchange.add_body(b"def")
        exchange.end_body()
        assert exchange.state.arrived
        message = await exchange.receive()
        assert (message["body"], message["more_body"]) == (b"abcdef", False)

    assert received_from(work).writes == []


def test_a_client_that_is_gone_is_noticed_and_written_nothing() -> None:
    ended: list[bool] = []

    async def work(exchange: Exchange) -> None:
        exchange.state.on_end(lambda: ended.append(True))
        exchange.end_body()
        await exchange.receive()
        waiting = asyncio.create_task(exchange.receive())
        await asyncio.sleep(0)
        exchange.disconnect()
        assert (await waiting)["type"] == "http.disconnect"
        assert exchange.add_body(b"late") == 0
        await exchange.run(response_of(b"body"))

    connection = received_from(work)
    assert (connection.writes, connection.closed, ended) == ([], False, [True])
