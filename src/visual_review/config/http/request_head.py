"""The head of a request: its limits, and what two readers could understand differently; pure."""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import unquote

# Above what browsers send with all cookies; reverse proxies allow less.
MOST_HEAD_BYTES: Final = 64 * 1024
MOST_TARGET_BYTES: Final = 16 * 1024
MOST_FIELDS: Final = 100
VERSIONS: Final = frozenset({"1.0", "1.1"})
# Besides the body: sizes of chunks, which may be as small as one byte, their extensions, trailers.
MOST_FRAMING_BYTES: Final = 64 * 1024
MOST_FRAMING_PER_BYTE: Final = 8

Headers = list[tuple[bytes, bytes]]


class RequestError(Exception):
    """The request cannot be read; the message is for the client."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class HeadTooLargeError(RequestError):
    """The head has too many bytes or fields."""

    def __init__(self) -> None:
        super().__init__(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            f"The request line and the header fields may have at most {MOST_HEAD_BYTES} bytes and "
            f"{MOST_FIELDS} fields. Send less, for example by deleting the cookies of this site.",
        )


class MalformedRequestError(RequestError):
    """The request is not HTTP/1.1 as it is written down in RFC 9112."""

    def __init__(self, problem: str) -> None:
        super().__init__(HTTPStatus.BAD_REQUEST, f"This is not a valid HTTP/1.1 request: {problem}")


@dataclass(frozen=True, slots=True)
class RequestTarget:
    """The parts of a request target: the decoded path, the path and the query as they were sent."""

    path: str
    raw_path: bytes
    query: bytes


@dataclass(frozen=True, slots=True)
class Framing:
    """How the body ends: after ``length`` bytes, or with the last chunk if there is no length."""

    length: int | None = 0
    expects_continue: bool = False


def check_target_size(target: bytes) -> None:
    """Raise RequestError for a target that is too long."""
    if len(target) > MOST_TARGET_BYTES:
        raise RequestError(
            HTTPStatus.REQUEST_URI_TOO_LONG,
            f"The URL may have at most {MOST_TARGET_BYTES} bytes.",
        )


def check_head_size(size: int, fields: int) -> None:
    """Raise HeadTooLargeError for a head with so many bytes, or so many fields."""
    if size > MOST_HEAD_BYTES or fields > MOST_FIELDS:
        raise HeadTooLargeError


def check_framing_size(framing: int, body: int) -> None:
    """Raise HeadTooLargeError for more bytes around the chunks of a body than any client sends."""
    if framing > MOST_FRAMING_BYTES + MOST_FRAMING_PER_BYTE * body:
        raise HeadTooLargeError


def parse_target(target: bytes) -> RequestTarget:
    """Raise MalformedRequestError for what is not a path on this server."""
    # A URL with a host, as proxies get, could name another host than the Host header.
    if not target.startswith(b"/"):
        raise MalformedRequestError("the URL must begin with '/'.")
    raw_path, _, query = target.partition(b"?")
    path = raw_path.decode("ascii")
    return RequestTarget(unquote(path) if "%" in path else path, raw_path, query)


def parse_framing(version: str, headers: Headers) -> Framing:
    """Raise MalformedRequestError for what another server might read as another request.

    The parser has rejected other ambiguities: two lengths, and a length with an encoding.
    """
    if version not in VERSIONS:
        raise MalformedRequestError("the version must be HTTP/1.0 or HTTP/1.1.")
    hosts, length, expects_continue = 0, 0, False
    encoded = False
    for name, value in headers:
        match name:
            case b"host":
                hosts += 1
            case b"content-length":
                length = int(value)
            case b"transfer-encoding":
                _check_encoding(version, value)
                encoded = True
            case b"expect":
                expects_continue = value.lower() == b"100-continue" and version == "1.1"
            case _:
                pass
    if hosts > 1 or (hosts == 0 and version == "1.1"):
        raise MalformedRequestError("there must be one Host header.")
    return Framing(None if encoded else length, expects_continue)


def _check_encoding(version: str, value: bytes) -> None:
    if value.lower() != b"chunked" or version != "1.1":
        raise MalformedRequestError("the only transfer encoding is 'chunked', in HTTP/1.1.")
