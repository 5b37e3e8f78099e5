"""Requests reach the application completely, with a length, or not at all."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from visual_review.config.http.limits import IN_MEMORY_BYTES, BodyLimits

LIMIT = 3 * IN_MEMORY_BYTES


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    request = Request(scope, receive)
    body = await request.body()
    response: Response = JSONResponse(
        {
            "size": len(body),
            "length": request.headers["content-length"],
            "query": scope["query_string"].decode("ascii"),
            "names": sorted(request.headers),
        }
    )
    await response(scope, receive, send)


async def send_request(**request: object) -> httpx.Response:
    transport = httpx.ASGITransport(BodyLimits(echo, LIMIT))
    async with httpx.AsyncClient(transport=transport, base_url="http://service") as client:
        return await client.post("/upload", **request)


@pytest.mark.parametrize("size", [0, 1, IN_MEMORY_BYTES, IN_MEMORY_BYTES + 1, LIMIT])
def test_a_body_arrives_complete_with_its_length(size: int) -> None:
    echoed = asyncio.run(send_request(content=bytes(size))).json()
    assert (echoed["size"], echoed["length"]) == (size, str(size))


def test_a_body_of_unknown_length_gets_one() -> None:
    async def parts() -> object:
        for _ in range(5):
            yield b"12345"

    echoed = asyncio.run(send_request(content=parts())).json()
    assert (echoed["size"], echoed["length"]) == (25, "25")


def test_a_body_above_the_limit_is_rejected_with_a_problem_document() -> None:
    response = asyncio.run(send_request(content=bytes(LIMIT + 1)))
    assert response.status_code == 413
    assert response.headers["content-type"] == "application/problem+json"


def scope_with(query: bytes, headers: list[tuple[bytes, bytes]]) -> Scope:
    return {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": query,
        "headers": headers,
    }


def send_messages(scope: Scope, messages: Iterator[Message]) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(BodyLimits(echo, LIMIT)(scope, receive, send))
    return sent


def test_a_request_whose_sender_disconnects_is_dropped() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"half", "more_body": True},
        {"type": "http.disconnect"},
    ]
    assert send_messages(scope_with(b"", []), iter(messages)) == []


def test_raw_bytes_in_a_query_are_escaped_and_ambiguous_headers_dropped() -> None:
    scope = scope_with(b"q=\xe9&a=b", [(b"x_forwarded_for", b"1.2.3.4"), (b"x-fine", b"1")])
    done: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]
    body = send_messages(scope, iter(done))[1]["body"].decode()
    assert '"query":"q=%E9&a=b"' in body
    assert '"names":["content-length","x-fine"]' in body
