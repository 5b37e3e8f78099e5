"""The HTTP client of all Git providers against a real server that misbehaves."""

import gzip
import logging
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import BaseModel

from tests.support.case import Case
from tests.support.hosts.local_server import (
    LocalServer,
    ReceivedRequest,
    Reply,
    local_server,
    page,
    reply,
)
from visual_review.hosts.access import TokenAccess, validate_token
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostDeclinedError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.http import LARGEST_RESPONSE, HostClient, Timeouts, quote_path
from visual_review.hosts.responses import RetryPolicy
from visual_review.kernel.clock import now

SECRET = "s3cret-t0ken"
FINE = {"name": "web", "unknown": "is ignored"}


class Thing(BaseModel):
    name: str


def fine(_: ReceivedRequest) -> Reply:
    return reply(FINE)


class Exchange:
    """A server with the test's responses, and a client that records pauses without waiting."""

    def __init__(self) -> None:
        self.handler: Callable[[ReceivedRequest], Reply] = fine
        self.pauses: list[float] = []
        self.server: LocalServer
        self.client: HostClient

    def handle(self, request: ReceivedRequest) -> Reply:
        return self.handler(request)

    def reset(self) -> None:
        """Clear the recorded requests, and use a new client without a rate limit."""
        self.server.requests.clear()
        self.pauses.clear()
        self.client.close()
        self.client = client_of(self, self.server.address)

    def respond_with(self, *replies: Reply) -> None:
        """Send each reply once, and then always the last one."""
        remaining = list(replies)
        self.handler = lambda _: remaining.pop(0) if len(remaining) > 1 else remaining[0]

    def get(self) -> Thing:
        return self.client.get("thing", Thing)

    def post(self, *, retryable: bool = False) -> Thing:
        return self.client.send("POST", "thing", {"name": "x"}, Thing, retryable=retryable)

    def names(self) -> list[str]:
        pages = self.client.pages("things", list[Thing], {"per_page": 2})
        return [thing.name for items in pages for thing in items]

    def request_count(self) -> int:
        return len(self.server.requests)


def client_of(exchange: Exchange, url: str, timeouts: Timeouts | None = None) -> HostClient:
    return HostClient(
        f"{url}/api",
        TokenAccess("Authorization", "Bearer ", SECRET),
        retry_policy=RetryPolicy(sleep=exchange.pauses.append),
        timeouts=timeouts,
    )


@pytest.fixture
def exchange() -> Iterator[Exchange]:
    created = Exchange()
    with local_server(created.handle) as created.server:
        created.client = client_of(created, created.server.address)
        yield created
        created.client.close()


def test_a_response_is_parsed_into_its_type(exchange: Exchange) -> None:
    assert exchange.get() == Thing(name="web")
    request = exchange.server.requests[0]
    assert request.path == "/api/thing"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert request.headers["user-agent"]


ERRORS = [
    (401, HostAccessError),
    (403, HostAccessError),
    (404, HostMissingError),
    (410, HostMissingError),
    (451, HostMissingError),
    (400, HostDeclinedError),
    (422, HostDeclinedError),
    (429, HostBusyError),
    (500, HostBusyError),
    (502, HostBusyError),
    (503, HostBusyError),
    (304, HostResponseError),
]


def test_each_error_status_raises_its_error(case: Case, exchange: Exchange) -> None:
    for status, error in ERRORS:
        exchange.reset()
        with case(status):
            exchange.respond_with(reply({"message": "Because of this"}, status))
            with pytest.raises(error) as caught:
                exchange.get()
            assert exchange.request_count() > 0
            assert SECRET not in str(caught.value)


def test_the_providers_message_is_quoted_on_one_line(exchange: Exchange) -> None:
    exchange.respond_with(reply({"message": "Repository was\narchived " + "x" * 999}, 403))
    with pytest.raises(HostAccessError, match=r"'Repository was archived x+'") as caught:
        exchange.get()
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_transient_failure_is_retried(exchange: Exchange, status: int) -> None:
    exchange.respond_with(reply({}, status), page("<h1>Bad</h1>", status), reply(FINE))
    assert exchange.get().name == "web"
    assert len(exchange.pauses) == 2
    assert exchange.pauses[1] > exchange.pauses[0] / 2 > 0


def test_all_calls_succeed_when_every_third_one_fails(exchange: Exchange) -> None:
    exchange.handler = lambda _: (
        reply({}, 500) if exchange.request_count() % 3 == 0 else reply(FINE)
    )
    assert [exchange.get().name for _ in range(10)] == ["web"] * 10
    assert [exchange.post(retryable=True).name for _ in range(10)] == ["web"] * 10


def test_a_post_that_may_have_been_processed_is_not_retried(exchange: Exchange) -> None:
    exchange.respond_with(reply({}, 500))
    with pytest.raises(HostBusyError):
        exchange.post()
    assert exchange.request_count() == 1


def test_a_post_that_was_not_processed_is_retried(exchange: Exchange) -> None:
    exchange.respond_with(reply({}, 429, Retry_After="2"), reply(FINE))
    assert exchange.post().name == "web"
    assert len(exchange.pauses) == 1


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_idempotent_methods_are_retried(exchange: Exchange, method: str) -> None:
    exchange.respond_with(reply({}, 502), reply(FINE))
    assert exchange.client.send(method, "thing", {}, Thing).name == "web"


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_a_long_wait_is_left_to_the_caller(exchange: Exchange, form: str) -> None:
    until = now() + timedelta(minutes=10)
    value = "600" if form == "seconds" else format_datetime(until.astimezone(UTC), usegmt=True)
    exchange.respond_with(reply({}, 429, Retry_After=value))
    with pytest.raises(HostBusyError) as caught:
        exchange.get()
    assert caught.value.until is not None
    assert abs(caught.value.until - until) < timedelta(minutes=2)
    assert (exchange.request_count(), exchange.pauses) == (1, [])


@pytest.mark.parametrize(
    "headers",
    [
        {"Retry_After": "600"},
        {"X_RateLimit_Remaining": "0", "X_RateLimit_Reset": "600"},
        {},
    ],
)
def test_a_rate_limit_with_status_403_is_not_an_access_error(
    exchange: Exchange, headers: dict[str, str]
) -> None:
    body = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes."}
    exchange.respond_with(reply(body, 403, **headers))
    with pytest.raises(HostBusyError) as caught:
        exchange.get()
    assert caught.value.until is not None


def test_no_call_is_made_before_an_exhausted_rate_limit_resets(exchange: Exchange) -> None:
    reset = str(int((now() + timedelta(minutes=10)).timestamp()))
    exchange.respond_with(reply(FINE, 200, X_RateLimit_Remaining="0", X_RateLimit_Reset=reset))
    assert exchange.get().name == "web"
    with pytest.raises(HostBusyError) as caught:
        exchange.post()
    assert caught.value.until == datetime.fromtimestamp(int(reset), UTC)
    assert exchange.request_count() == 1


def test_a_silent_server_times_out(exchange: Exchange) -> None:
    exchange.respond_with(Reply(pieces=exchange.server.silence(), promised=10))
    client = client_of(exchange, exchange.server.address, Timeouts(read=0.2))
    with pytest.raises(HostBusyError, match="GET /api/thing"):
        client.get("thing", Thing)
    client.close()


def test_an_endless_response_times_out(exchange: Exchange) -> None:
    exchange.handler = lambda _: Reply(pieces=exchange.server.stall(b"{"))
    client = client_of(exchange, exchange.server.address, Timeouts(read=5, total=0.2))
    with pytest.raises(HostBusyError, match=r"more than 0\.2 s"):
        client.get("thing", Thing)
    client.close()


def test_no_log_and_no_error_contains_a_credential(
    exchange: Exchange, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("", "httpx", "httpcore", "visual_review"):
        caplog.set_level(logging.DEBUG, name)
    exchange.respond_with(reply({}, 500), reply(FINE), reply({"message": "No"}, 401))
    exchange.get()
    with pytest.raises(HostAccessError) as caught:
        exchange.get()
    assert "httpcore" in {record.name.partition(".")[0] for record in caplog.records}
    assert SECRET not in caplog.text
    assert SECRET not in "".join(traceback.format_exception(caught.value))


def test_retries_end_with_the_total_timeout(exchange: Exchange) -> None:
    exchange.respond_with(reply({}, 502))
    client = client_of(exchange, exchange.server.address, Timeouts(total=0))
    with pytest.raises(HostBusyError):
        client.get("thing", Thing)
    client.close()
    assert (exchange.request_count(), exchange.pauses) == (1, [])


def test_a_truncated_response_is_retried(exchange: Exchange) -> None:
    exchange.respond_with(Reply(pieces=[b'{"name": '], promised=100), reply(FINE))
    assert exchange.get().name == "web"
    exchange.respond_with(Reply(pieces=[b'{"name": '], promised=100))
    with pytest.raises(HostBusyError):
        exchange.post()


def test_a_refused_connection_is_a_busy_error(exchange: Exchange) -> None:
    with local_server(fine) as other:
        gone = client_of(exchange, other.address)
    with pytest.raises(HostBusyError):
        gone.send("POST", "thing", {}, Thing)
    assert len(exchange.pauses) == 2
    gone.close()


@pytest.mark.parametrize("status", [200, 401, 403, 404])
def test_an_html_page_is_a_response_error_with_any_status(exchange: Exchange, status: int) -> None:
    exchange.respond_with(page("<html><title>Sign in</title></html>", status))
    with pytest.raises(HostResponseError, match="HTML"):
        exchange.get()


def test_an_unexpected_body_is_an_error_that_does_not_quote_it(
    case: Case, exchange: Exchange
) -> None:
    for body in (
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"name": 7}',
        b'{"nom": "x"}',
        b"\xff\xfe",
        b"[" * 100_000,
    ):
        with case(body[:20]):
            exchange.respond_with(Reply(pieces=[body]))
            with pytest.raises(HostResponseError) as caught:
                exchange.get()
            assert len(str(caught.value)) < 400


def test_a_huge_response_is_not_read_to_its_end(exchange: Exchange) -> None:
    sent = []

    def pieces() -> Iterator[bytes]:
        for _ in range(400):
            sent.append(1)
            yield b" " * 100_000

    exchange.handler = lambda _: Reply(pieces=pieces())
    with pytest.raises(HostResponseError, match="10 MB"):
        exchange.get()
    assert len(sent) < 400


def test_a_compressed_response_that_expands_hugely_is_rejected(exchange: Exchange) -> None:
    packed = gzip.compress(b" " * (LARGEST_RESPONSE * 3))
    exchange.respond_with(Reply(pieces=[packed], headers={"Content-Encoding": "gzip"}))
    with pytest.raises(HostResponseError, match="10 MB"):
        exchange.get()


def test_a_response_with_invalid_compression_is_an_error(exchange: Exchange) -> None:
    exchange.respond_with(Reply(pieces=[b"not packed"], headers={"Content-Encoding": "gzip"}))
    with pytest.raises(HostResponseError):
        exchange.get()


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_within_the_same_origin_is_followed(exchange: Exchange, status: int) -> None:
    exchange.respond_with(reply({}, status, Location="/api/repositories/7"), reply(FINE))
    assert exchange.get().name == "web"
    assert exchange.server.paths() == ["GET /api/thing", "GET /api/repositories/7"]


def test_a_write_follows_a_redirect_as_a_write(exchange: Exchange) -> None:
    exchange.respond_with(
        reply({}, 307, Location=f"{exchange.server.address}/api/new"), reply(FINE)
    )
    assert exchange.post().name == "web"
    assert exchange.server.paths() == ["POST /api/thing", "POST /api/new"]
    assert exchange.server.requests[1].json == {"name": "x"}


def test_a_write_does_not_become_a_read(exchange: Exchange) -> None:
    exchange.respond_with(reply({}, 302, Location="/api/new"))
    with pytest.raises(HostResponseError):
        exchange.post()
    assert exchange.request_count() == 1


@pytest.mark.parametrize(
    "place", ["{other}/api/thing", "//{host}/x", "file:///etc/passwd", "http://["]
)
def test_credentials_are_not_sent_to_another_origin(exchange: Exchange, place: str) -> None:
    with local_server(fine) as other:
        host = other.address.partition("//")[2]
        where = place.format(other=other.address, host=host)
        exchange.respond_with(reply({}, 301, Location=where))
        with pytest.raises(HostResponseError, match="No credentials are sent there"):
            exchange.get()
        exchange.respond_with(reply([FINE], 200, Link=f'<{where}>; rel="next"'))
        with pytest.raises(HostResponseError, match="No credentials are sent there"):
            exchange.names()
        assert other.requests == []


def test_a_redirect_loop_ends(exchange: Exchange) -> None:
    exchange.respond_with(reply({}, 301, Location="/api/thing"))
    with pytest.raises(HostResponseError, match="without reaching"):
        exchange.get()
    assert exchange.request_count() == 4


def test_all_pages_are_read_by_following_links(exchange: Exchange) -> None:
    def handle(request: ReceivedRequest) -> Reply:
        number = int(request.query.get("page", "1"))
        following = (
            f'<{exchange.server.address}/api/things?per_page=2&page={number + 1}>; rel="next"'
        )
        items = [{"name": f"{number}-{place}"} for place in "ab"]
        return reply(items, 200, **({"Link": following} if number < 4 else {}))

    exchange.handler = handle
    assert exchange.names() == ["1-a", "1-b", "2-a", "2-b", "3-a", "3-b", "4-a", "4-b"]
    assert [request.query["per_page"] for request in exchange.server.requests] == ["2"] * 4


def test_a_loop_of_pages_ends(exchange: Exchange) -> None:
    exchange.handler = lambda _: reply([FINE], 200, Link='</api/things?page=2>; rel="next"')
    with pytest.raises(HostResponseError, match="does not end"):
        exchange.names()
    assert exchange.request_count() <= 3


def test_the_number_of_pages_is_limited(
    exchange: Exchange, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("visual_review.hosts.http.MOST_PAGES", 5)

    def handle(_: ReceivedRequest) -> Reply:
        return reply([FINE], 200, Link=f'</api/things?page={exchange.request_count()}>; rel="next"')

    exchange.handler = handle
    with pytest.raises(HostResponseError, match="more than 5"):
        exchange.names()
    assert exchange.request_count() == 6


def test_a_failure_between_pages_does_not_shorten_the_list(exchange: Exchange) -> None:
    exchange.respond_with(
        reply([FINE], 200, Link='</api/things?page=2>; rel="next"'), reply({}, 404)
    )
    with pytest.raises(HostMissingError):
        exchange.names()


def test_path_segments_are_quoted(exchange: Exchange) -> None:
    exchange.client.get(quote_path("repos", "a b", "c/d?e#f%2F", "ü"), Thing)
    assert exchange.server.requests[0].path == "/api/repos/a%20b/c%2Fd%3Fe%23f%252F/%C3%BC"


@pytest.mark.parametrize("segment", ["", ".", ".."])
def test_a_path_cannot_leave_its_parent(segment: str) -> None:
    with pytest.raises(HostMissingError):
        quote_path("repos", segment, "x")


def test_an_invalid_token_is_rejected_without_quoting_it(case: Case) -> None:
    for token in ("", "  ", "a b", "a\nb", "ä", "a\x00"):
        with case(repr(token)):
            with pytest.raises(HostAccessError) as caught:
                validate_token(token)
            assert not token.strip() or token not in str(caught.value)


def test_whitespace_around_a_token_is_removed() -> None:
    assert validate_token(" ghp_abc\n") == "ghp_abc"
