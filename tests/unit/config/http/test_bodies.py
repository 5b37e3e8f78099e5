"""Requests reach the application completely, with a length, or not at all."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Message, Receive, Scope, Send

from visual_review.config.http import bodies
from visual_review.config.http.bodies import (
    IN_MEMORY_BYTES,
    UNREAD,
    BodyLimit,
    RequestBodies,
    Spool,
)

LIMIT = 3 * IN_MEMORY_BYTES


class OneLimit:
    """The same limit for every URL."""

    def __init__(self, limit: BodyLimit) -> None:
        self.limit = limit

    async def limit_of(self, _scope: Scope) -> BodyLimit:
        return self.limit


def limited(limit: BodyLimit = BodyLimit(LIMIT)) -> RequestBodies:  # noqa: B008 - It is frozen.
    return RequestBodies(echo, OneLimit(limit), Spool(""))


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


async def send_request(
    limit: BodyLimit = BodyLimit(LIMIT),  # noqa: B008 - It is frozen.
    **request: object,
) -> httpx.Response:
    transport = httpx.ASGITransport(limited(limit))
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


def send_messages(
    scope: Scope,
    messages: Iterator[Message],
    limit: BodyLimit = BodyLimit(LIMIT),  # noqa: B008 - It is frozen.
) -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return next(messages)

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(limited(limit)(scope, receive, send))
    return sent


def test_a_request_whose_sender_disconnects_is_dropped() -> None:
    messages: list[Message] = [
        {"type": "http.request", "body": b"half", "more_body": True},
        {"type": "http.disconnect"},
    ]
    scope = scope_with(b"", [(b"content-length", b"10")])
    assert send_messages(scope, iter(messages)) == []


def test_raw_bytes_in_a_query_are_escaped_and_ambiguous_headers_dropped() -> None:
    scope = scope_with(b"q=\xe9&a=b", [(b"x_forwarded_for", b"1.2.3.4"), (b"x-fine", b"1")])
    done: list[Message] = [{"type": "http.request", "body": b"", "more_body": False}]
    body = send_messages(scope, iter(done))[1]["body"].decode()
    assert '"query":"q=%E9&a=b"' in body
    assert '"names":["content-length","x-fine"]' in body


def test_a_length_above_the_limit_is_rejected_before_anything_is_read() -> None:
    scope = scope_with(b"", [(b"content-length", str(LIMIT + 1).encode())])
    sent = send_messages(scope, iter([{"type": "http.disconnect"}]))
    assert sent[0]["status"] == 413
    assert str(LIMIT).encode() in sent[1]["body"]


def test_a_body_that_no_one_needs_is_not_read() -> None:
    echoed = asyncio.run(send_request(UNREAD, content=bytes(100))).json()
    assert (echoed["size"], echoed["length"]) == (0, "0")


def test_a_sender_that_pauses_for_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "SILENCE_SECONDS", 0.01)

    async def parts() -> object:
        yield b"begun"
        await asyncio.sleep(60)

    response = asyncio.run(send_request(content=parts()))
    assert response.status_code == 408
    assert "too slowly" in response.json()["detail"]


def test_single_bytes_now_and_then_do_not_keep_a_request_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.05)

    async def parts() -> object:
        while True:
            yield b"x"
            await asyncio.sleep(0.01)

    assert asyncio.run(send_request(content=parts())).status_code == 408


def test_a_body_that_would_fill_the_disk_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MINIMUM_FREE_BYTES", 1 << 60)
    response = asyncio.run(send_request(content=bytes(LIMIT)))
    assert response.status_code == 507
    assert asyncio.run(send_request(content=b"small")).status_code == 200


def test_unknown_callers_share_a_bounded_part_of_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "MAX_UNSIGNED_BYTES", LIMIT - 1)
    response = asyncio.run(send_request(content=bytes(LIMIT)))
    assert (response.status_code, response.headers["retry-after"]) == (503, "10")
    signed = BodyLimit(LIMIT, signed_for="org_ours")
    assert asyncio.run(send_request(signed, content=bytes(LIMIT))).status_code == 200
