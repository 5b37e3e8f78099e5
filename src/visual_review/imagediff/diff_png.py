"""Write a diff image: a PNG of faded grays and a few colors, the same for every engine."""

import struct
from typing import Final

import deflate
from isal import isal_zlib

from visual_review.imagediff.container import PALETTE, SIGNATURE
from visual_review.imagediff.model import ImageInfo
from visual_review.imagediff.port import Buffer

# Few shades of gray: they compress well and are only for orientation.
SHADES: Final = 32
DARKEST: Final = 170
BLANK: Final = SHADES - 1
CHANGED: Final = SHADES
SMOOTHED: Final = SHADES + 1
HATCHED: Final = SHADES + 2
HATCHED_CHANGE: Final = SHADES + 3
FAINTLY_CHANGED: Final = SHADES + 4
COLORS: Final = ((255, 0, 0), (255, 210, 0), (120, 160, 255), (190, 90, 190), (0, 134, 122))
# Other levels, and other libraries, take several times as long for hardly smaller files.
LEVEL: Final = 1


def write_diff_png(width: int, height: int, rows: Buffer) -> bytes:
    """Return a PNG of ``rows``: for each, a filter byte of 0 and ``width`` indices of colors."""
    info = ImageInfo(width, height, 8, PALETTE, interlaced=False)
    return write_png(info, isal_zlib.compress(rows, LEVEL), _palette())


def _palette() -> bytes:
    grays = (round(DARKEST + (255 - DARKEST) * at / (SHADES - 1)) for at in range(SHADES))
    return b"".join(bytes(color) for color in (*((gray,) * 3 for gray in grays), *COLORS))


def write_png(info: ImageInfo, packed: Buffer, palette: bytes = b"") -> bytes:
    """Return a PNG, not interlaced; ``packed`` is a zlib stream of its filtered rows."""
    depth, color = info.bit_depth, info.color_type
    header = struct.pack(">IIBBBBB", info.width, info.height, depth, color, 0, 0, 0)
    parts: list[Buffer] = [SIGNATURE, *_chunk(b"IHDR", header)]
    if palette:
        parts += _chunk(b"PLTE", palette)
    return b"".join((*parts, *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")))


def _chunk(kind: bytes, body: Buffer) -> tuple[Buffer, ...]:
    checksum = deflate.crc32(body, deflate.crc32(kind))
    return struct.pack(">I", len(body)), kind, body, struct.pack(">I", checksum)
