"""The head of a response, and how its body is written after it; pure."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from visual_review.config.http.request_head import Headers

# These have no body, whatever the headers say.
WITHOUT_BODY: Final = frozenset({HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED})
STATUS_LINES: Final = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}


class ResponseError(Exception):
    """The application sent what cannot be a response."""


@dataclass(slots=True)
class BodyWriter:
    """Frames the body: ``left`` bytes of a known length, or None for chunks.

    ``until_close``: the end of the connection ends it, for HTTP/1.0. ``omitted``: it is not sent.
    """

    left: int | None = None
    until_close: bool = False
    omitted: bool = False

    def frame(self, body: bytes, *, more: bool) -> bytes:
        """Return what is written; raises ResponseError for another length than was announced."""
        if self.omitted:
            return b""
        if self.left is None:
            return body if self.until_close else _chunk(body, more=more)
        self.left -= len(body)
        if self.left < 0 or (self.left and not more):
            raise ResponseError("The response's body has another length than its header says.")
        return body


def _chunk(body: bytes, *, more: bool) -> bytes:
    part = b"%x\r\n%b\r\n" % (len(body), body) if body else b""
    return part if more else part + b"0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ResponseHead:
    """The bytes of a head, the writer of its body, and whether the connection goes on after it."""

    data: bytes
    writer: BodyWriter
    keep_alive: bool


def make_head(
    status: int,
    headers: Headers,
    *,
    method: str,
    version: str,
    keep_alive: bool,
    whole_body: int | None,
) -> ResponseHead:
    """Return the head of a response; ``whole_body`` is the size if all of it is known.

    Names of headers are lowercase, as ASGI says. Raises ResponseError for line breaks in them.
    """
    lines = [STATUS_LINES.get(status) or b"HTTP/1.1 %d \r\n" % status]
    length: int | None = None
    closes = False
    for pair in headers:
        lines.append(b"%b: %b\r\n" % pair)
        if pair[0] == b"content-length":
            length = int(pair[1])
        elif pair[0] == b"connection" and b"close" in pair[1].lower():
            closes = True
    writer = BodyWriter(length, omitted=method == "HEAD" or status in WITHOUT_BODY)
    if length is None and not writer.omitted:
        lines.append(_announce(writer, whole_body, version))
        closes = closes or writer.until_close
    if not (keep_alive or closes):
        lines.append(b"connection: close\r\n")
    return ResponseHead(_join(lines), writer, keep_alive and not closes)


def _announce(writer: BodyWriter, whole_body: int | None, version: str) -> bytes:
    """Return the header that says how the body ends."""
    if whole_body is not None:
        writer.left = whole_body
        return b"content-length: %d\r\n" % whole_body
    if version == "1.1":
        return b"transfer-encoding: chunked\r\n"
    # The client learns of it by the end of the connection.
    writer.until_close = True
    return b"connection: close\r\n"


def _join(lines: list[bytes]) -> bytes:
    """Raise ResponseError if a header contains what would begin another one, or a response."""
    head = b"".join(lines)
    if head.count(b"\n") != len(lines) or head.count(b"\r") != len(lines) or b"\0" in head:
        raise ResponseError("A header of the response contains a line break.")
    return head + b"\r\n"
