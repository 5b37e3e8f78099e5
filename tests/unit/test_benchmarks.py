"""The arithmetic of the benchmarks, and that their requests are valid."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import repeat

import pytest
from benchmarks.bars import Figures, compute_bars, format_table, percentile
from benchmarks.build_rows import HEAD, MEGABYTE, Row
from benchmarks.load import UnexpectedResponseError, measure, response_length
from benchmarks.requests import Call, Caller
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request

CALL = Call("list_builds", {"repoId": "repo_1"})
CALLER = Caller("127.0.0.1:8000", "vr_user_key")


def figures(action: str, interface: str, p50: float, connections: int = 1) -> Figures:
    return Figures(action, connections, interface, 10, 100.0, p50, 2 * p50, p50, 0.0, 1000)


def missed(*rows: Figures) -> list[str]:
    return [str(bar) for bar in compute_bars(rows) if bar.missed]


@pytest.mark.parametrize(("share", "value"), [(0.5, 5), (0.95, 10), (0.9, 9), (0.0, 1), (1.0, 10)])
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(
    share: float, value: int
) -> None:
    assert percentile([10, 1, 2, 3, 4, 9, 8, 7, 6, 5], share) == value
    assert percentile([7], share) == 7


def test_mcp_may_take_1_4_times_the_time_of_rest() -> None:
    rest = figures("review_screenshot", "REST", 0.010)
    assert missed(rest, figures("review_screenshot", "MCP", 0.0139)) == []
    (line,) = missed(rest, figures("review_screenshot", "MCP", 0.0141))
    assert "review_screenshot over MCP at 1" in line
    assert "p50 14.1 ms, bar 14.0" in line


def test_mcp_is_compared_with_rest_at_as_many_connections() -> None:
    rows = [
        figures("review_screenshot", "REST", 0.010),
        figures("review_screenshot", "REST", 0.200, connections=20),
        figures("review_screenshot", "MCP", 0.270, connections=20),
    ]
    assert missed(*rows) == []


@pytest.mark.parametrize(("action", "bound"), [("list_builds", 0.010), ("get_build", 1.0)])
def test_reads_have_bounds_of_their_own_at_one_connection(action: str, bound: float) -> None:
    assert missed(figures(action, "REST", bound * 0.99)) == []
    assert len(missed(figures(action, "REST", bound))) == 1
    # At 20 connections a call also waits for the others.
    assert missed(figures(action, "REST", bound * 3.9, connections=20)) == []


def test_the_large_read_has_a_bound_at_20_connections_too() -> None:
    assert missed(figures("get_build", "REST", 3.99, connections=20)) == []
    assert len(missed(figures("get_build", "REST", 4.0, connections=20))) == 1


def test_a_missed_aim_is_reported_and_misses_no_bar() -> None:
    (bar,) = compute_bars([figures("list_builds", "REST", 0.006)])
    assert (bar.missed, bar.aim_missed) == (False, True)
    assert "met, aim missed" in str(bar)


def test_the_table_compares_each_interface_with_rest() -> None:
    rest, mcp = figures("get_build", "REST", 0.2), figures("get_build", "MCP", 0.3)
    lines = format_table([rest, mcp]).splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[2].split()[:8] == [
        "get_build",
        "1",
        "MCP",
        "10",
        "100.0",
        "300.00",
        "600.00",
        "1.50",
    ]


def test_a_response_is_complete_at_its_announced_length() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\n"
    assert response_length(head[:-1]) == 0
    assert response_length(head) == len(head) + 5


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_errors_and_responses_without_a_length_end_the_measurement(head: bytes) -> None:
    with pytest.raises(UnexpectedResponseError):
        response_length(head)


@dataclass
class CountingServer:
    """The requests that a server received, their connections, and its response to all."""

    address: tuple[str, int] = ("", 0)
    seen: list[bytes] = field(default_factory=list)
    connections: set[object] = field(default_factory=set)
    response: bytes = b'{"result": {}}'


@pytest.fixture
def counting_server() -> Iterator[CountingServer]:
    counted = CountingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            counted.seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            counted.connections.add(self.client_address)
            self.send_response(200)
            self.send_header("Content-Length", str(len(counted.response)))
            self.end_headers()
            self.wfile.write(counted.response)

        def log_message(self, *_args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        counted.address = ("127.0.0.1", server.server_port)
        yield counted
        server.shutdown()
        thread.join()


def test_every_call_is_counted_and_connections_stay_open(counting_server: CountingServer) -> None:
    sample = measure(counting_server.address, repeat(CALLER.rest(CALL)), 3, 0.2)
    assert len(sample.seconds) == len(counting_server.seen) > 6
    assert len(counting_server.connections) == 3
    assert sum(sample.seconds) <= 3 * sample.elapsed
    assert sample.response == counting_server.response
    assert json.loads(counting_server.seen[0]) == CALL.arguments


def test_every_connection_makes_a_call_however_short_the_time(
    counting_server: CountingServer,
) -> None:
    assert len(measure(counting_server.address, repeat(CALLER.rest(CALL)), 4, 0.0).seconds) == 4


def test_a_failed_tool_call_ends_the_measurement(counting_server: CountingServer) -> None:
    counting_server.response = b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}'
    with pytest.raises(UnexpectedResponseError, match="isError"):
        measure(counting_server.address, repeat(CALLER.mcp_newer(CALL)), 1, 0.1)


def test_the_protocol_library_accepts_requests_of_the_newer_version() -> None:
    head, _, body = CALLER.mcp_newer(CALL).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    assert isinstance(
        classify_inbound_request(json.loads(body), headers=headers), InboundModernRoute
    )
    assert int(headers["content-length"]) == len(body)


def build_row(seconds: float, peak: int, *, has_bar: bool = True) -> Row:
    return Row("12,000", seconds, 600, 5.0, peak * MEGABYTE, 2 * MEGABYTE, has_bar=has_bar)


def test_a_build_misses_the_bars_of_time_and_memory() -> None:
    assert list(build_row(30.0, 600).missed()) == []
    (late,) = build_row(30.1, 100).missed()
    assert late == "12,000: 30.1 s to the verdict, bar 30 s"
    (large,) = build_row(1.0, 601).missed()
    assert large == "12,000: 601 MB in the worker, bar 600 MB"
    assert list(build_row(99.0, 999, has_bar=False).missed()) == []


def test_the_table_of_builds_is_aligned() -> None:
    assert len(str(build_row(20.0, 300))) == len(HEAD)
    assert str(build_row(20.0, 300)).split()[1:4] == ["20.0", "30.0", "5.0"]
