"""Write PNG files of compressed rows."""

import struct

import deflate

from visual_review.imagediff.container import SIGNATURE
from visual_review.imagediff.model import ImageInfo
from visual_review.imagediff.port import Buffer


def write_png(info: ImageInfo, packed: Buffer, palette: bytes = b"") -> bytes:
    """Return a PNG that is not interlaced; ``packed`` is a zlib stream of its filtered rows."""
    depth, color = info.bit_depth, info.color_type
    header = struct.pack(">IIBBBBB", info.width, info.height, depth, color, 0, 0, 0)
    parts: list[Buffer] = [SIGNATURE, *_chunk(b"IHDR", header)]
    if palette:
        parts += _chunk(b"PLTE", palette)
    return b"".join((*parts, *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")))


def _chunk(kind: bytes, body: Buffer) -> tuple[Buffer, ...]:
    checksum = deflate.crc32(body, deflate.crc32(kind))
    return struct.pack(">I", len(body)), kind, body, struct.pack(">I", checksum)
