"""Compressed bodies of responses for clients that accept them (RFC 9110, Accept-Encoding).

Never compress a body with a secret and with text of another person: its length would reveal the
secret to observers of the encrypted connection (BREACH).
"""

import sys
from collections.abc import Callable
from typing import Final, Protocol

from isal import isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# A body within one network packet arrives no earlier when shorter.
MIN_BYTES: Final = 1400
# Both take about 1 ms a megabyte; higher levels take two to ten times as long, and save nothing.
LEVEL: Final = 1
GZIP_WINDOW: Final = 31


class Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


# `zstd` is used when a client accepts `zstd` and `gzip` equally.
COMPRESSORS: Final[dict[str, Callable[[], Compressor]]] = {
    "zstd": lambda: zstd.ZstdCompressor(LEVEL),
    "gzip": lambda: isal_zlib.compressobj(LEVEL, wbits=GZIP_WINDOW),
}


def choose_encoding(accepted: str) -> str | None:
    """Return the encoding preferred by the header's value, or None for an uncompressed body."""
    weights = dict(map(_parse_element, accepted.lower().split(",")))
    others = weights.get("*", 0.0)
    weighted = {name: weights.get(name, others) for name in COMPRESSORS}
    best = max(weighted, key=weighted.__getitem__)
    # A client prefers "identity" only with an explicit weight.
    return best if weighted[best] > 0 and weighted[best] >= weights.get("identity", 0.0) else None


def _parse_element(element: str) -> tuple[str, float]:
    name, _, parameter = element.partition(";")
    key, _, value = parameter.partition("=")
    if key.strip() != "q":
        return name.strip(), 1.0
    try:
        weight = float(value)
    except ValueError:
        # A client with an invalid weight is sent the uncompressed body, readable for every client.
        return name.strip(), 0.0
    return name.strip(), weight if 0 <= weight <= 1 else 0.0


def compress(body: bytes, encoding: str) -> bytes:
    compressor = COMPRESSORS[encoding]()
    return compressor.compress(body) + compressor.flush()
