"""Requests that a proxy could read differently are refused, over real connections."""

import re
import socket
import time
from pathlib import Path

import pytest

from tests.support.case import Case
from tests.support.servers.in_process_service import InProcessService
from tests.support.servers.raw_client import RawClient, response_status, wait_for_end
from visual_review.config.http import connection_rules
from visual_review.config.http.request_head import MOST_FIELDS, MOST_TARGET_BYTES

POST = b"POST /healthz HTTP/1.1\r\nHost: x\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n"
# What a proxy that read the request differently would let through to someone else's response.
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture(autouse=True)
def blobs_folder(service: InProcessService) -> Path:
    """The service's own, for all tests of this package."""
    return service.blobs


def read_all(stream: socket.socket) -> bytes:
    """Return everything until the service ends the connection."""
    data = b""
    while part := stream.recv(1 << 16):
        data += part
    return data


def statuses_in(data: bytes) -> list[int]:
    return [int(found) for found in re.findall(rb"HTTP/1\.1 ([0-9]{3}) ", data)]


def test_ambiguous_requests_get_one_error_and_the_connection_ends(
    client: RawClient, case: Case
) -> None:
    for name, sent in [
        ("length and chunks", CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n"),
        ("chunks and length", POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0"),
        ("two lengths", POST + b"Content-Length: 3\r\nContent-Length: 5\r\n\r\nabc"),
        ("two equal lengths", POST + b"Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
        ("a list of lengths", POST + b"Content-Length: 3, 3\r\n\r\nabc"),
        ("a length with a sign", POST + b"Content-Length: +3\r\n\r\nabc"),
        ("a negative length", POST + b"Content-Length: -3\r\n\r\nabc"),
        ("a huge length", POST + b"Content-Length: 99999999999999999999\r\n\r\nabc"),
        ("an empty length", POST + b"Content-Length:\r\n\r\nabc"),
        ("a space before the colon", POST + b"Content-Length : 3\r\n\r\nabc"),
        ("another encoding", POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
        ("chunks not last", POST + b"Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n"),
        ("chunks twice", CHUNKED + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("almost chunks", POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
        ("chunks in HTTP/1.0", CHUNKED.replace(b"1.1", b"1.0") + b"\r\n0\r\n\r\n"),
        ("a chunk's size in hex with 0x", CHUNKED + b"\r\n0x3\r\nabc\r\n0\r\n\r\n"),
        ("a negative chunk", CHUNKED + b"\r\n-3\r\nabc\r\n0\r\n\r\n"),
        ("a chunk's size with a space", CHUNKED + b"\r\n3 \r\nabc\r\n0\r\n\r\n"),
        ("a chunk's size with LF only", CHUNKED + b"\r\n3\nabc\r\n0\r\n\r\n"),
        ("a huge chunk", CHUNKED + b"\r\nfffffffffffffffff\r\nabc"),
        ("a chunk longer than its size", CHUNKED + b"\r\n3\r\nabcd\r\n0\r\n\r\n"),
        ("an extension with LF", CHUNKED + b"\r\n3;a\nb\r\nabc\r\n0\r\n\r\n"),
        ("a folded header", GET + b"X-A: a\r\n b\r\n\r\n"),
        ("a space before the first header", b"GET / HTTP/1.1\r\n Host: x\r\n\r\n"),
        ("a bare CR", GET + b"X-A: a\rX-B: b\r\n\r\n"),
        ("a bare LF", GET + b"X-A: a\nX-B: b\r\n\r\n"),
        ("lines that end with LF", b"GET / HTTP/1.1\nHost: x\n\n"),
        ("NUL in a value", GET + b"X-A: a\0b\r\n\r\n"),
        ("NUL in a name", GET + b"X\0A: a\r\n\r\n"),
        ("NUL in the URL", b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a byte above ASCII in the URL", b"GET /\xe9 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a header without a colon", GET + b"abc\r\n\r\n"),
        ("a header without a name", GET + b": a\r\n\r\n"),
        ("no host", b"GET / HTTP/1.1\r\n\r\n"),
        ("two hosts", GET + b"Host: y\r\n\r\n"),
        ("another host in the URL", b"GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a tunnel", b"CONNECT y:443 HTTP/1.1\r\nHost: y\r\n\r\n"),
        ("HTTP/0.9", b"GET /\r\n\r\n"),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("an unknown method", b"BREW / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"),
    ]:
        with case(name), client.connected(sent + SMUGGLED) as stream:
            received = read_all(stream)
            assert statuses_in(received) == [400]
            assert b"This is not a valid HTTP/1.1 request: " in received


def test_what_is_too_large_is_refused_with_a_reason(client: RawClient, case: Case) -> None:
    fields = b"".join(b"X-%d: 1\r\n" % number for number in range(MOST_FIELDS))
    for name, sent, status in [
        ("the URL", b"GET /" + b"a" * MOST_TARGET_BYTES + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414),
        ("one header", GET + b"X-A: " + b"a" * 70_000 + b"\r\n\r\n", 431),
        ("many headers", GET + fields + b"\r\n", 431),
        ("no end", GET + b"X-A: 1\r\n" * 10_000, 431),
        ("a URL without an end", b"GET /" + b"a" * 70_000, 431),
        ("trailers", CHUNKED + b"\r\n0\r\nX-A: " + b"a" * 70_000, 431),
    ]:
        with case(name), client.connected(sent) as stream:
            assert response_status(stream) == status


def test_a_response_in_time_is_read_by_a_client_that_goes_on_sending(
    client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_rules, "DISCARD_SECONDS", 1)
    with client.connected(GET + b"Host: y\r\n\r\n") as stream:
        stream.sendall(b"more of it" * 1000)
        assert statuses_in(stream.recv(1 << 16)) == [400]
        wait_for_end(stream)


def test_requests_at_once_get_their_responses_in_order(client: RawClient) -> None:
    sent = client.request("GET", "/healthz") * 3 + client.request("GET", "/missing")
    last = client.request("GET", "/healthz", "Connection: close")
    with client.connected(sent + last + SMUGGLED) as stream:
        assert statuses_in(read_all(stream)) == [200, 200, 200, 404, 200]


def test_an_early_response_leaves_the_connection_usable(client: RawClient) -> None:
    body = b"x" * 200_000
    head = client.request("PUT", "/blobs/incoming/x", f"Content-Length: {len(body)}")
    with client.connected(head) as stream:
        assert response_status(stream) == 403
        stream.sendall(body)
        stream.sendall(client.request("GET", "/healthz", "Connection: close"))
        assert statuses_in(read_all(stream))[-1] == 200


def test_a_client_that_asks_first_is_asked_to_continue(client: RawClient) -> None:
    headers = ("Content-Length: 2", "Expect: 100-continue", "Content-Type: application/json")
    with client.connected(client.request("POST", "/api/mcp", *headers)) as stream:
        assert response_status(stream) == 100
        stream.sendall(b"{}")
        assert response_status(stream) == 401


def test_a_client_that_asked_and_is_refused_gets_no_other_request_through(
    client: RawClient,
) -> None:
    # It may or may not send the body now, so the next bytes have no certain meaning.
    headers = ("Content-Length: 9000", "Expect: 100-continue")
    with client.connected(client.request("PUT", "/blobs/incoming/x", *headers)) as stream:
        assert response_status(stream) == 403
        stream.sendall(SMUGGLED)
        assert statuses_in(read_all(stream)) == []


def test_a_client_of_http_1_0_gets_a_response_without_chunks(client: RawClient) -> None:
    with client.connected(b"GET /healthz HTTP/1.0\r\n\r\n") as stream:
        received = read_all(stream)
    assert statuses_in(received) == [200]
    assert b"transfer-encoding" not in received
    assert b"connection: close" in received


def test_only_the_head_of_a_response_is_sent_to_a_head_request(client: RawClient) -> None:
    with client.connected(client.request("HEAD", "/healthz", "Connection: close")) as stream:
        received = read_all(stream)
    assert b"content-length: 18" in received
    assert received.endswith(b"\r\n\r\n")


def test_an_unused_connection_is_closed_and_a_used_one_is_not(
    client: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_rules, "KEEP_ALIVE_SECONDS", 0.5)
    request = client.request("GET", "/healthz")
    with client.connected(request) as stream:
        for _ in range(4):
            assert response_status(stream) == 200
            time.sleep(0.2)
            stream.sendall(request)
        # Closed, and not reset as connections in the way of others are.
        assert statuses_in(read_all(stream)) == [200]
