"""Every client can read a body of every size."""

import json
import random
from collections.abc import Iterator

from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase

from tests.support.case import Case
from tests.support.encodings import read_json
from visual_review.actions.compression import MIN_BYTES
from visual_review.api.rest import WHOLE_BYTES, compressed_response


def body_of(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response)  # type: ignore[arg-type]
    assert isinstance(response, HttpResponse)
    return response.content


def numbers(size: int) -> bytes:
    """Return JSON of about ``size`` bytes."""
    source = random.Random(size)
    return json.dumps([source.random() for _ in range(size // 20)]).encode()


SIZES = (0, MIN_BYTES - 400, MIN_BYTES * 2, WHOLE_BYTES * 3)


def test_clients_read_every_size_in_every_encoding(case: Case) -> None:
    for size in SIZES:
        for encoding in ("zstd", "gzip", ""):
            with case((size, encoding)):
                body = numbers(size)
                parts = [body[start : start + 100_000] for start in range(0, len(body), 100_000)]
                response = compressed_response(iter(parts), encoding, "application/json")
                sent = body_of(response)
                assert response["Vary"] == "Accept-Encoding"
                assert response.streaming == (len(body) > WHOLE_BYTES)
                assert ("Content-Encoding" in response) == (bool(encoding) and size > MIN_BYTES)
                assert read_json(response.headers, sent) == json.loads(body)
                if "Content-Encoding" in response:
                    assert len(sent) < len(body) * 0.6


def test_parts_are_made_when_they_are_sent() -> None:
    made = []

    def parts() -> Iterator[bytes]:
        for number in range(10):
            made.append(number)
            yield b"x" * WHOLE_BYTES

    response = compressed_response(parts(), "gzip", "application/json")
    assert len(made) == 2
    body_of(response)
    assert len(made) == 10
