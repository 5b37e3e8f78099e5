"""Reads requests from the bytes of one connection: httptools parses, within the limits."""

from typing import Final, Protocol

import httptools

from visual_review.config.http.request_head import (
    MOST_TARGET_BYTES,
    Framing,
    Headers,
    MalformedRequestError,
    RequestError,
    RequestTarget,
    check_framing_size,
    check_head_size,
    check_target_size,
    parse_framing,
    parse_target,
)

HEAD_END: Final = b"\r\n\r\n"


class NextRequestError(Exception):
    """Another request follows in the same bytes, and cannot be read separately."""


class Receiver(Protocol):
    """What gets the parts of a request."""

    def begin_request(self, head: "RequestHead") -> None: ...

    def add_body(self, part: bytes) -> None: ...

    def end_request(self) -> None: ...


class RequestHead:
    """The head of a request; names of headers are lowercase."""

    __slots__ = ("framing", "headers", "keep_alive", "method", "target", "version")

    def __init__(
        self,
        method: str,
        target: RequestTarget,
        version: str,
        headers: Headers,
        framing: Framing,
        *,
        keep_alive: bool,
    ) -> None:
        self.method = method
        self.target = target
        self.version = version
        self.headers = headers
        self.framing = framing
        self.keep_alive = keep_alive


class RequestReader:
    """``lost``: where the next request begins is not known anymore."""

    def __init__(self, receiver: Receiver) -> None:
        self._receiver = receiver
        self._parser = httptools.HttpRequestParser(self)
        self._fault: Exception | None = None
        self.lost = False
        self._begin()

    def _begin(self) -> None:
        self._target = b""
        self._headers: Headers = []
        # The last bytes of an incomplete head, which the next ones may complete.
        self._tail = b""
        self._head_size = 0
        self._framing: Framing | None = None
        self._left = self._body_size = self._framing_size = 0
        self._ended = False

    @property
    def target(self) -> bytes:
        """What is known of the target of the current request."""
        return self._target

    def feed(self, data: bytes) -> bytes:
        """Parse what belongs to the current request; returns what comes after its end.

        Raises RequestError; nothing can be fed after it.
        """
        try:
            return self._read(data)
        except RequestError:
            # What cannot be parsed is often behind the target, or before it.
            self._target = self._target or _guess_target(data)
            raise

    def _read(self, data: bytes) -> bytes:
        while data and not self.lost:
            piece = self._head_piece(data) if self._framing is None else self._body_piece(data)
            self._parse(piece)
            data = data[len(piece) :]
            if self._ended:
                self._begin()
                return data
        return b""

    def _head_piece(self, data: bytes) -> bytes:
        """Return the bytes until the end of the head, so that no request after it is parsed."""
        tail = self._tail
        window = tail + data if tail else data
        end = window.find(HEAD_END)
        piece = data if end < 0 else data[: end + len(HEAD_END) - len(tail)]
        self._tail = window[1 - len(HEAD_END) :] if end < 0 else b""
        self._head_size += len(piece)
        check_head_size(self._head_size, len(self._headers))
        return piece

    def _body_piece(self, data: bytes) -> bytes:
        if self._left:
            piece = data[: self._left]
            self._left -= len(piece)
            return piece
        self._framing_size += len(data)
        return data

    def _parse(self, piece: bytes) -> None:
        chunked = self._framing is not None and self._framing.length is None
        try:
            self._parser.feed_data(piece)
        except httptools.HttpParserUpgrade:
            # The offer is declined. After chunks, what follows was not parsed.
            self.lost = self.lost or chunked
        except httptools.HttpParserCallbackError as error:
            if isinstance(self._fault, NextRequestError):
                self.lost = True
            else:
                raise self._fault or error from error
        except httptools.HttpParserError as error:
            raise MalformedRequestError(f"{error}.") from error
        if chunked:
            check_framing_size(self._framing_size - self._body_size, self._body_size)

    def _stop(self, fault: Exception) -> None:
        self._fault = fault
        raise fault

    # What the parser calls. It wraps exceptions, so they are kept.

    def on_message_begin(self) -> None:
        if self._ended:
            self._stop(NextRequestError())

    def on_url(self, part: bytes) -> None:
        self._target += part
        try:
            check_target_size(self._target)
        except RequestError as error:
            self._stop(error)

    def on_header(self, name: bytes, value: bytes) -> None:
        # After the body they are trailers, which must not become headers.
        if self._framing is None:
            self._headers.append((name.lower(), value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        try:
            head = self._make_head()
        except RequestError as error:
            self._stop(error)
            return
        self._framing = head.framing
        self._left = head.framing.length or 0
        self._receiver.begin_request(head)

    def on_body(self, part: bytes) -> None:
        self._body_size += len(part)
        self._receiver.add_body(part)

    def on_message_complete(self) -> None:
        self._ended = True
        self._receiver.end_request()

    def _make_head(self) -> RequestHead:
        version = self._parser.get_http_version()
        check_head_size(self._head_size, len(self._headers))
        framing = parse_framing(version, self._headers)
        return RequestHead(
            self._parser.get_method().decode("ascii"),
            parse_target(self._target),
            version,
            self._headers,
            framing,
            keep_alive=version != "1.0" and self._parser.should_keep_alive(),
        )


def _guess_target(head: bytes) -> bytes:
    """Return what should be the target of the request that begins like this, else nothing."""
    parts = head[: 2 * MOST_TARGET_BYTES].partition(b"\r\n")[0].split(b" ")
    return parts[1] if len(parts) > 1 else b""
