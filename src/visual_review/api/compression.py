"""Compressed bodies for clients that accept them (RFC 9110, Accept-Encoding)."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final, Protocol

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from isal import isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# What fits into one packet of a network arrives no earlier when it is shorter.
MIN_BYTES: Final = 1400
# Larger bodies are made, compressed and written part by part.
WHOLE_BYTES: Final = 256 * 1024
# Both take about 1 ms a megabyte; higher levels take twice to ten times that, and save nothing.
LEVEL: Final = 1
GZIP_WINDOW: Final = 31


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


# The first is used where a client accepts both alike.
COMPRESSORS: Final[dict[str, Callable[[], Compressor]]] = {
    "zstd": lambda: zstd.ZstdCompressor(LEVEL),
    "gzip": lambda: isal_zlib.compressobj(LEVEL, wbits=GZIP_WINDOW),
}


def choose_encoding(accepted: str) -> str | None:
    """Return the encoding that the header's value prefers, or None to send the body as it is."""
    weights = dict(map(_parse_element, accepted.lower().split(",")))
    others = weights.get("*", 0.0)
    weighted = {name: weights.get(name, others) for name in COMPRESSORS}
    best = max(weighted, key=weighted.__getitem__)
    # "identity" is what a client prefers only if it says so.
    return best if weighted[best] > 0 and weighted[best] >= weights.get("identity", 0.0) else None


def _parse_element(element: str) -> tuple[str, float]:
    name, _, parameter = element.partition(";")
    key, _, value = parameter.partition("=")
    if key.strip() != "q":
        return name.strip(), 1.0
    try:
        weight = float(value)
    except ValueError:
        # A client that writes it wrong is sent what every client can read.
        return name.strip(), 0.0
    return name.strip(), weight if 0 <= weight <= 1 else 0.0


def compress_parts(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """Yield the parts of a body compressed, each as soon as there is something to send."""
    compressor = COMPRESSORS[encoding]()
    for part in parts:
        if compressed := compressor.compress(part):
            yield compressed
    yield compressor.flush()


def compressed_response(
    parts: Iterator[bytes], accepted: str, content_type: str
) -> HttpResponseBase:
    """Return a response whose body is these parts, in the encoding that the client accepts best.

    Never for pages: there, a stranger may choose part of the body of a request that carries the
    reader's credential, and its length would reveal the rest (BREACH).
    """
    begun: list[bytes] = []
    for part in parts:
        begun.append(part)
        if sum(map(len, begun)) > WHOLE_BYTES:
            return _stream(chain(begun, parts), choose_encoding(accepted), content_type)
    body = b"".join(begun)
    encoding = choose_encoding(accepted) if len(body) >= MIN_BYTES else None
    if encoding is not None:
        body = b"".join(compress_parts([body], encoding))
    return _mark(HttpResponse(body, content_type=content_type), encoding)


def _stream(parts: Iterator[bytes], encoding: str | None, content_type: str) -> HttpResponseBase:
    if encoding is not None:
        parts = compress_parts(parts, encoding)
    return _mark(StreamingHttpResponse(parts, content_type=content_type), encoding)


def _mark(response: HttpResponseBase, encoding: str | None) -> HttpResponseBase:
    if encoding is not None:
        response["Content-Encoding"] = encoding
    response["Vary"] = "Accept-Encoding"
    return response
