"""Every client can read a body of every size."""

import json
import random

from tests.support.case import Case
from tests.support.encodings import read_json
from visual_review.actions.compression import MIN_BYTES
from visual_review.api.rest import compressed_response


def numbers(size: int) -> bytes:
    """Return JSON of about ``size`` bytes."""
    source = random.Random(size)
    return json.dumps([source.random() for _ in range(size // 20)]).encode()


SIZES = (0, MIN_BYTES - 400, MIN_BYTES * 2, 1_000_000)


def test_clients_read_every_size_in_every_encoding(case: Case) -> None:
    for size in SIZES:
        for encoding in ("zstd", "gzip", ""):
            with case((size, encoding)):
                body = numbers(size)
                response = compressed_response(body, encoding, "application/json")
                sent = response.content
                assert response["Vary"] == "Accept-Encoding"
                assert ("Content-Encoding" in response) == (bool(encoding) and size > MIN_BYTES)
                assert read_json(response.headers, sent) == json.loads(body)
                if "Content-Encoding" in response:
                    assert len(sent) < len(body) * 0.6
