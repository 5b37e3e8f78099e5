"""Compressed bodies of responses for clients that accept them (RFC 9110, Accept-Encoding).

Never of a body with a secret and with text that another person may choose: its length would
reveal the secret to those who see the encrypted connection (BREACH).
"""

import sys
from collections.abc import Callable
from typing import Final, Protocol

from isal import isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# What fits into one packet of a network arrives no earlier when it is shorter.
MIN_BYTES: Final = 1400
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


def compress(body: bytes, encoding: str) -> bytes:
    compressor = COMPRESSORS[encoding]()
    return compressor.compress(body) + compressor.flush()
