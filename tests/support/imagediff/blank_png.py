"""Small PNG files of any form, with any number of pixels."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

from visual_review.imagediff.container import ADAM7, PALETTE, SAMPLES, SIGNATURE


def blank_png(
    width: int, height: int, depth: int = 8, color: int = 6, *, interlaced: bool = False
) -> bytes:
    """Return a PNG whose samples are all 0."""
    passes = ADAM7 if interlaced else ((0, 0, 1, 1),)
    size = 0
    for left, top, across, down in passes:
        columns, rows = -(-(width - left) // across), -(-(height - top) // down)
        if columns > 0 and rows > 0:
            size += rows * (1 + (columns * SAMPLES[color] * depth + 7) // 8)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced))
    palette = _chunk(b"PLTE", b"\0\0\0") if color == PALETTE else b""
    data = _chunk(b"IDAT", zlib.compress(bytes(size), 6))
    return SIGNATURE + _chunk(b"IHDR", header) + palette + data + _chunk(b"IEND", b"")


def encode_rgb(pixels: np.ndarray) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=1)
    return file.getvalue()


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
