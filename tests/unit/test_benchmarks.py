"""The arithmetic of the benchmarks, and that they send what the doors take."""

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import repeat

import pytest
from benchmarks.bars import Figures, bars_of, percentile, table
from benchmarks.load import UnexpectedAnswerError, measure, whole_length
from benchmarks.requests import Call, Caller
from mcp.shared.inbound import InboundModernRoute, classify_inbound_request

CALL = Call("list_builds", {"repoId": "repo_1"})
CALLER = Caller("127.0.0.1:8000", "vr_user_key")


def figures(action: str, door: str, p50: float, connections: int = 1) -> Figures:
    return Figures(action, connections, door, 10, 100.0, p50, 2 * p50, p50, 0.0, 1000)


def missed(*rows: Figures) -> list[str]:
    return [str(bar) for bar in bars_of(rows) if bar.missed]


@pytest.mark.parametrize(("share", "value"), [(0.5, 5), (0.95, 10), (0.9, 9), (0.0, 1), (1.0, 10)])
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(
    share: float, value: int
) -> None:
    assert percentile([10, 1, 2, 3, 4, 9, 8, 7, 6, 5], share) == value
    assert percentile([7], share) == 7


def test_mcp_may_take_twice_the_time_of_rest_and_a_millisecond() -> None:
    rest = figures("review_screenshot", "REST", 0.010)
    assert missed(rest, figures("review_screenshot", "MCP", 0.0209)) == []
    (line,) = missed(rest, figures("review_screenshot", "MCP", 0.0211))
    assert "review_screenshot by MCP at 1" in line
    assert "p50 21.1 ms, bar 21.0" in line


def test_mcp_is_held_against_rest_at_the_same_connections() -> None:
    rows = [
        figures("review_screenshot", "REST", 0.010),
        figures("review_screenshot", "REST", 0.200, connections=20),
        figures("review_screenshot", "MCP", 0.300, connections=20),
    ]
    assert missed(*rows) == []


@pytest.mark.parametrize(("action", "bound"), [("list_builds", 0.010), ("get_build", 1.0)])
def test_reads_have_bounds_of_their_own_at_one_connection(action: str, bound: float) -> None:
    assert missed(figures(action, "REST", bound * 0.99)) == []
    assert len(missed(figures(action, "REST", bound))) == 1
    assert missed(figures(action, "REST", bound * 9, connections=20)) == []


def test_a_missed_aim_is_told_and_misses_no_bar() -> None:
    (bar,) = bars_of([figures("list_builds", "REST", 0.006)])
    assert (bar.missed, bar.aim_missed) == (False, True)
    assert "met, aim missed" in str(bar)


def test_the_table_shows_each_door_beside_rest() -> None:
    rest, mcp = figures("get_build", "REST", 0.2), figures("get_build", "MCP", 0.3)
    lines = table([rest, mcp]).splitlines()
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


def test_an_answer_is_whole_when_its_announced_length_has_come() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\n"
    assert whole_length(head[:-1]) == 0
    assert whole_length(head) == len(head) + 5


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_refusals_and_answers_without_a_length_end_the_measurement(head: bytes) -> None:
    with pytest.raises(UnexpectedAnswerError):
        whole_length(head)


@dataclass
class CountingServer:
    """What a server was asked, over which connections, and what it answers to all."""

    address: tuple[str, int] = ("", 0)
    seen: list[bytes] = field(default_factory=list)
    connections: set[object] = field(default_factory=set)
    answer: bytes = b'{"result": {}}'


@pytest.fixture
def counting_server() -> Iterator[CountingServer]:
    counted = CountingServer()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            counted.seen.append(self.rfile.read(int(self.headers["Content-Length"])))
            counted.connections.add(self.client_address)
            self.send_response(200)
            self.send_header("Content-Length", str(len(counted.answer)))
            self.end_headers()
            self.wfile.write(counted.answer)

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
    assert sample.answer == counting_server.answer
    assert json.loads(counting_server.seen[0]) == CALL.arguments


def test_one_call_a_connection_is_made_however_short_the_time(
    counting_server: CountingServer,
) -> None:
    assert len(measure(counting_server.address, repeat(CALLER.rest(CALL)), 4, 0.0).seconds) == 4


def test_a_refused_tool_call_ends_the_measurement(counting_server: CountingServer) -> None:
    counting_server.answer = b'{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}'
    with pytest.raises(UnexpectedAnswerError, match="isError"):
        measure(counting_server.address, repeat(CALLER.mcp_newer(CALL)), 1, 0.1)


def test_what_is_sent_for_the_newer_era_is_taken_by_the_protocol_library() -> None:
    head, _, body = CALLER.mcp_newer(CALL).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")[1:]
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    assert isinstance(
        classify_inbound_request(json.loads(body), headers=headers), InboundModernRoute
    )
    assert int(headers["content-length"]) == len(body)
