"""Requests are read one at a time, whatever arrives together and however it is divided."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.depth import rounds
from visual_review.config.http.request_head import MOST_FIELDS, RequestError
from visual_review.config.http.request_reader import RequestHead, RequestReader

GET = b"GET /a?b HTTP/1.1\r\nHost: x\r\nX-Value: one \t\r\n\r\n"
POST = b"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
CHUNKED = b"POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = b"3;extension=1\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: 1\r\nHost: other\r\n\r\n"


@dataclass
class Request:
    head: RequestHead
    body: bytes = b""
    ended: bool = False


@dataclass
class Receiver:
    """Keeps the requests that were read."""

    requests: list[Request] = field(default_factory=list)

    def begin_request(self, head: RequestHead) -> None:
        self.requests.append(Request(head))

    def add_body(self, part: bytes) -> None:
        self.requests[-1].body += part

    def end_request(self) -> None:
        self.requests[-1].ended = True


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def reader(receiver: Receiver) -> RequestReader:
    return RequestReader(receiver)


def test_a_head_has_lowercase_names_and_values_without_spaces(
    reader: RequestReader, receiver: Receiver
) -> None:
    assert reader.feed(GET) == b""
    head = receiver.requests[0].head
    assert (head.method, head.target.path, head.target.query, head.version) == (
        "GET",
        "/a",
        b"b",
        "1.1",
    )
    assert head.headers == [(b"host", b"x"), (b"x-value", b"one")]
    assert head.keep_alive


def test_what_follows_a_request_is_returned_unparsed(
    reader: RequestReader, receiver: Receiver
) -> None:
    assert reader.feed(POST + GET + POST) == GET + POST
    assert [each.body for each in receiver.requests] == [b"abc"]
    assert reader.feed(GET + POST) == POST
    assert len(receiver.requests) == 2


@settings(max_examples=rounds(30, 300))
@given(st.lists(st.integers(1, 40), max_size=20))
def test_requests_are_the_same_however_they_are_divided(sizes: list[int]) -> None:
    receiver = Receiver()
    reader = RequestReader(receiver)
    data, waiting = POST + GET + CHUNKED + CHUNKS, b""
    for size in [*sizes, len(data)]:
        waiting += data[:size]
        data = data[size:]
        while waiting:
            waiting = reader.feed(waiting)
    assert [(each.head.target.path, each.body) for each in receiver.requests] == [
        ("/p", b"abc"),
        ("/a", b""),
        ("/c", b"abcde"),
    ]
    assert all(each.ended for each in receiver.requests)


def test_trailers_do_not_become_headers(reader: RequestReader, receiver: Receiver) -> None:
    reader.feed(CHUNKED + CHUNKS)
    assert [name for name, _ in receiver.requests[0].head.headers] == [
        b"host",
        b"transfer-encoding",
    ]


def test_a_request_behind_chunks_is_lost_and_never_read(
    reader: RequestReader, receiver: Receiver
) -> None:
    # Where it begins would be found by parsing alone, and that goes on without limits.
    assert reader.feed(CHUNKED + CHUNKS + GET) == b""
    assert reader.lost
    assert [each.ended for each in receiver.requests] == [True]


def test_an_offer_of_another_protocol_is_declined(
    reader: RequestReader, receiver: Receiver
) -> None:
    offer = b"GET /u HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    assert reader.feed(offer + GET) == GET
    assert reader.feed(GET) == b""
    assert [each.head.target.path for each in receiver.requests] == ["/u", "/a"]


def feed_often(reader: RequestReader, piece: bytes) -> None:
    for _ in range(100_000):
        reader.feed(piece)


def test_an_endless_head_is_refused_before_it_is_stored(case: Case) -> None:
    begun = b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: "
    for name, first, piece in [
        ("a value", begun, b"x" * 100),
        ("headers", begun, b"X: y\r\n"),
        ("empty lines", b"", b"\r\n"),
    ]:
        reader = RequestReader(Receiver())
        reader.feed(first)
        with case(name), pytest.raises(RequestError) as error:
            feed_often(reader, piece)
        assert error.value.status == 431


def test_too_many_fields_are_refused(reader: RequestReader, receiver: Receiver) -> None:
    fields = b"".join(b"X-%d: 1\r\n" % number for number in range(MOST_FIELDS))
    with pytest.raises(RequestError, match="100 fields"):
        reader.feed(b"GET / HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n")
    assert receiver.requests == []


def test_endless_extensions_and_trailers_are_refused(case: Case) -> None:
    for begun in (b"1;", b"0\r\nX-Trailer: "):
        reader = RequestReader(Receiver())
        reader.feed(CHUNKED + begun)
        with case(begun), pytest.raises(RequestError) as error:
            feed_often(reader, b"e" * 1000)
        assert error.value.status == 431


def test_small_chunks_are_not_refused(reader: RequestReader, receiver: Receiver) -> None:
    reader.feed(CHUNKED)
    for _ in range(30_000):
        reader.feed(b"1\r\nx\r\n")
    reader.feed(b"0\r\n\r\n")
    assert len(receiver.requests[0].body) == 30_000
