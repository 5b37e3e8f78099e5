"""A light load generator: one thread, plain sockets that stay open, requests written beforehand.

It shares the machine with the service, so its own cost is measured along.
"""

import selectors
import socket
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

CHUNK_BYTES = 1 << 18
RENDER_WAIT_SECONDS = 120
HEAD_END = b"\r\n\r\n"
STATUS_OK = b"http/1.1 200 "
LENGTH = b"\r\ncontent-length:"
# How MCP marks a refused call, which comes with the status of an answered one.
REFUSED = b'"isError":true'
SHOWN_BYTES = 2000


class UnexpectedAnswerError(Exception):
    """The service refused a call, or answered what cannot be counted."""


@dataclass
class Sample:
    """Seconds of each call and of all together, CPU seconds of this generator, the last answer."""

    seconds: list[float] = field(default_factory=list)
    elapsed: float = 0.0
    generator: float = 0.0
    answer: bytes = b""

    def add(self, other: "Sample") -> None:
        self.seconds += other.seconds
        self.elapsed += other.elapsed
        self.generator += other.generator
        self.answer = other.answer


@dataclass
class Line:
    """An open connection and the call on it; ``buffer`` begins at the answer's first byte."""

    stream: socket.socket
    buffer: bytearray = field(default_factory=bytearray)
    began: float = 0.0
    whole: int = 0

    def ask(self, request: bytes) -> None:
        self.buffer.clear()
        self.whole = 0
        self.began = time.perf_counter()
        self.stream.sendall(request)

    def take(self) -> bool:
        """Read what has come; whether the answer is complete."""
        part = self.stream.recv(CHUNK_BYTES)
        if not part:
            raise UnexpectedAnswerError("The service closed a connection within an answer.")
        self.buffer += part
        if not self.whole:
            self.whole = whole_length(self.buffer)
        return 0 < self.whole <= len(self.buffer)


def whole_length(begun: bytes | bytearray) -> int:
    """Bytes of the whole answer, 0 while its head is not complete.

    Raises UnexpectedAnswerError for any status but 200, and for an answer without a length.
    """
    end = begun.find(HEAD_END)
    if end < 0:
        return 0
    head = bytes(begun[: end + 2]).lower()
    _, found, rest = head.partition(LENGTH)
    if not head.startswith(STATUS_OK) or not found:
        raise UnexpectedAnswerError(bytes(begun[:SHOWN_BYTES]).decode(errors="replace"))
    return end + len(HEAD_END) + int(rest.partition(b"\r\n")[0])


def measure(
    address: tuple[str, int],
    requests: Iterator[bytes],
    connections: int,
    seconds: float,
) -> Sample:
    """Call without pause on ``connections`` for ``seconds``, and at least once on each."""
    with selectors.DefaultSelector() as selector:
        try:
            for _ in range(connections):
                stream = socket.create_connection(address, RENDER_WAIT_SECONDS)
                stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                selector.register(stream, selectors.EVENT_READ, Line(stream))
            return _call(selector, requests, seconds)
        finally:
            for key in list(selector.get_map().values()):
                key.data.stream.close()


def _call(selector: selectors.BaseSelector, requests: Iterator[bytes], seconds: float) -> Sample:
    sample = Sample()
    began, own = time.perf_counter(), time.process_time()
    lines: list[Line] = [key.data for key in selector.get_map().values()]
    for line in lines:
        line.ask(next(requests))
    waiting = len(lines)
    while waiting:
        ready = selector.select(RENDER_WAIT_SECONDS)
        if not ready:
            raise UnexpectedAnswerError(f"No answer came within {RENDER_WAIT_SECONDS} seconds.")
        for key, _ in ready:
            line = key.data
            if not line.take():
                continue
            done = time.perf_counter()
            sample.seconds.append(done - line.began)
            _check(line.buffer)
            if done - began < seconds:
                line.ask(next(requests))
            else:
                waiting -= 1
    sample.elapsed = time.perf_counter() - began
    sample.generator = time.process_time() - own
    sample.answer = bytes(lines[0].buffer).partition(HEAD_END)[2]
    return sample


def _check(answer: bytearray) -> None:
    if REFUSED in answer:
        raise UnexpectedAnswerError(bytes(answer[:SHOWN_BYTES]).decode(errors="replace"))
