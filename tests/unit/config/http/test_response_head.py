"""The head of a response says how its body ends; pure."""

import pytest

from tests.support.case import Case
from visual_review.config.http.request_head import Headers
from visual_review.config.http.response_head import ResponseError, ResponseHead, make_head


def head_of(
    headers: Headers,
    whole_body: int | None = None,
    *,
    status: int = 200,
    method: str = "GET",
    version: str = "1.1",
    keep_alive: bool = True,
) -> ResponseHead:
    return make_head(
        status,
        headers,
        method=method,
        version=version,
        keep_alive=keep_alive,
        whole_body=whole_body,
    )


def test_a_body_is_written_as_its_head_says(case: Case) -> None:
    length: Headers = [(b"content-length", b"2")]
    for name, head, announced, body in [
        ("whole", head_of([], 2), b"content-length: 2\r\n", b"ab"),
        ("of known length", head_of(length), b"content-length: 2\r\n", b"ab"),
        (
            "in parts",
            head_of([]),
            b"transfer-encoding: chunked\r\n",
            b"1\r\na\r\n1\r\nb\r\n0\r\n\r\n",
        ),
        ("until the end", head_of([], version="1.0"), b"connection: close\r\n", b"ab"),
        ("of HEAD", head_of(length, method="HEAD"), b"content-length: 2\r\n", b""),
        ("of 204", head_of([], 0, status=204), b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ]:
        with case(name):
            assert announced in head.data
            assert head.data.endswith(b"\r\n\r\n")
            writer = head.writer
            assert writer.frame(b"a", more=True) + writer.frame(b"b", more=False) == body


def test_another_length_than_announced_is_an_error(case: Case) -> None:
    for body in (b"abc", b"a"):
        writer = head_of([(b"content-length", b"2")]).writer
        with case(body), pytest.raises(ResponseError):
            writer.frame(body, more=False)


def test_a_connection_that_ends_says_so_once() -> None:
    closing: Headers = [(b"connection", b"close")]
    for head in (head_of([], 0, keep_alive=False), head_of(closing, 0)):
        assert not head.keep_alive
        assert head.data.count(b"connection: close\r\n") == 1
    assert head_of([], 0).keep_alive


def test_a_header_cannot_begin_another_one(case: Case) -> None:
    for value in (b"a\r\nset-cookie: b", b"a\nb", b"a\rb", b"a\0"):
        with case(value), pytest.raises(ResponseError):
            head_of([(b"location", value)], 0)
