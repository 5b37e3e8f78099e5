"""Write a diff image: a PNG of faded grays and a few colors, the same for every engine."""

import struct
from typing import Final

import deflate
from isal import isal_zlib

from visual_review.imagediff.container import PALETTE, SIGNATURE
from visual_review.imagediff.port import Buffer

# Few shades of gray: they compress well and only have to give orientation.
SHADES: Final = 32
DARKEST: Final = 170
BLANK: Final = SHADES - 1
CHANGED: Final = SHADES
SMOOTHED: Final = SHADES + 1
HATCHED: Final = SHADES + 2
HATCHED_CHANGE: Final = SHADES + 3
COLORS: Final = ((255, 0, 0), (255, 210, 0), (120, 160, 255), (190, 90, 190))
# Other levels, and other libraries, take several times as long for files that are hardly smaller.
LEVEL: Final = 1


def write_diff_png(width: int, height: int, rows: Buffer) -> bytes:
    """Return a PNG of ``rows``: for each, a filter byte of 0 and ``width`` indices of colors."""
    header = struct.pack(">IIBBBBB", width, height, 8, PALETTE, 0, 0, 0)
    packed = isal_zlib.compress(rows, LEVEL)
    chunks = ((b"IHDR", header), (b"PLTE", _palette()), (b"IDAT", packed), (b"IEND", b""))
    return b"".join((SIGNATURE, *(part for kind, body in chunks for part in _chunk(kind, body))))


def _palette() -> bytes:
    grays = (round(DARKEST + (255 - DARKEST) * at / (SHADES - 1)) for at in range(SHADES))
    return b"".join(bytes(color) for color in (*((gray,) * 3 for gray in grays), *COLORS))


def _chunk(kind: bytes, body: Buffer) -> tuple[Buffer, ...]:
    checksum = deflate.crc32(body, deflate.crc32(kind))
    return struct.pack(">I", len(body)), kind, body, struct.pack(">I", checksum)
