"""Results as responses: small ones whole, large ones in parts, compressed if the client accepts it."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from visual_review.kernel.compression import MIN_BYTES, choose_encoding, compress, compress_parts

# Larger bodies are made, compressed and written part by part.
WHOLE_BYTES: Final = 256 * 1024


def compressed_response(
    parts: Iterator[bytes], accepted: str, content_type: str
) -> HttpResponseBase:
    """Return a response whose body is these parts, in the encoding that the client accepts best."""
    begun: list[bytes] = []
    for part in parts:
        begun.append(part)
        if sum(map(len, begun)) > WHOLE_BYTES:
            return _stream(chain(begun, parts), choose_encoding(accepted), content_type)
    body = b"".join(begun)
    encoding = choose_encoding(accepted) if len(body) >= MIN_BYTES else None
    if encoding is not None:
        body = compress(body, encoding)
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
