"""Compressed bodies of responses, read like a client does."""

import json
import sys
from collections.abc import Mapping
from typing import Any

import httpx

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def read_json(headers: Mapping[str, str], body: bytes) -> Any:  # noqa: ANN401 - Any JSON.
    """Return the JSON of a body; httpx asks for zstd only where another package is installed."""
    if headers.get("Content-Encoding") == "zstd":
        return json.loads(zstd.decompress(body))
    return httpx.Response(200, headers=dict(headers), content=body).json()
