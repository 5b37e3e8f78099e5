"""A light load generator: one thread, persistent plain sockets, requests prepared in advance.

The generator shares the machine with the service, so the generator's cost is measured, too.
"""

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

CHUNK_BYTES = 1 << 18
RESPONSE_SECONDS = 120
HEAD_END = b"\r\n\r\n"
STATUS_OK = b"http/1.1 200 "
LENGTH = b"\r\ncontent-length:"
# MCP's mark of a failed call; the status code is the same as for a successful one.
IS_ERROR = b'"isError":true'
SHOWN_BYTES = 2000


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that ``share`` of all do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)), 1) - 1]


class UnexpectedResponseError(Exception):
    """The service returned an error, or a response without a measurable end."""


@dataclass
class Sample:
    """Seconds of each call and in total, CPU seconds of the generator, and the last response."""

    seconds: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    generator: float = 0.0
    response: bytes = b""

    def add(self, other: "Sample") -> None:
        self.seconds += other.seconds
        self.elapsed += other.elapsed
        self.generator += other.generator
        self.response = other.response


@dataclass
class Connection:
    """An open connection and its call; ``buffer`` starts at the first byte of the response."""

    stream: socket.socket
    buffer: bytearray = field(default_factory=bytearray)
    began: float = 0.0
    expected_bytes: int = 0

    def send(self, request: bytes) -> None:
        self.buffer.clear()
        self.expected_bytes = 0
        self.began = time.perf_counter()
        self.stream.sendall(request)

    def receive(self) -> bool:
        """Read the arrived bytes; return whether the response is complete."""
        part = self.stream.recv(CHUNK_BYTES)
        if not part:
            raise UnexpectedResponseError("The service closed a connection during a response.")
        self.buffer += part
        if not self.expected_bytes:
            self.expected_bytes = response_length(self.buffer)
        return 0 < self.expected_bytes <= len(self.buffer)


def response_length(begun: bytes | bytearray) -> int:
    """Return the bytes of the whole response, 0 while the head is incomplete.

    Raises UnexpectedResponseError for any status but 200, and for a response without a length.
    """
    end = begun.find(HEAD_END)
    if end < 0:
        return 0
    head = bytes(begun[: end + 2]).lower()
    _, found, rest = head.partition(LENGTH)
    if not head.startswith(STATUS_OK) or not found:
        raise UnexpectedResponseError(bytes(begun[:SHOWN_BYTES]).decode(errors="replace"))
    return end + len(HEAD_END) + int(rest.partition(b"\r\n")[0])


def measure(
    address: tuple[str, int],
    requests: Iterator[bytes],
    connections: int,
    seconds: float,
) -> Sample:
    """Call without pauses on ``connections`` for ``seconds``, and at least once on each.

    The calls end earlier when there are no more ``requests``.
    """
    with selectors.DefaultSelector() as selector:
        try:
            for _ in range(connections):
                stream = socket.create_connection(address, RESPONSE_SECONDS)
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(stream, selectors.EVENT_READ, Connection(stream))
            return _call(selector, requests, seconds)
        finally:
            for key in list(selector.get_map().values()):
                key.data.stream.close()


def _call(selector: selectors.BaseSelector, requests: Iterator[bytes], seconds: float) -> Sample:
    sample = Sample()
    began, own = time.perf_counter(), time.process_time()
    opened: list[Connection] = [key.data for key in selector.get_map().values()]
    for connection in opened:
        connection.send(next(requests))
    waiting = len(opened)
    while waiting:
        ready = selector.select(RESPONSE_SECONDS)
        if not ready:
            raise UnexpectedResponseError(
                f"There was no response within {RESPONSE_SECONDS} seconds."
            )
        for key, _ in ready:
            connection = key.data
            if not connection.receive():
                continue
            done = time.perf_counter()
            sample.seconds.append(done - connection.began)
            _check(connection.buffer)
            following = next(requests, None) if done - began < seconds else None
            if following is None:
                waiting -= 1
            else:
                connection.send(following)
    sample.elapsed = time.perf_counter() - began
    sample.generator = time.process_time() - own
    sample.response = bytes(opened[0].buffer).partition(HEAD_END)[2]
    return sample


def _check(response: bytearray) -> None:
    if IS_ERROR in response:
        raise UnexpectedResponseError(bytes(response[:SHOWN_BYTES]).decode(errors="replace"))
