"""Finds images of one color without decoding the others.

Every filter of PNG turns a row of one color into bytes that are known beforehand, so rows are
compared as they are in the file, and the first one that differs ends the search.
"""

import struct
import zlib
from collections.abc import Iterator
from typing import Final

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
# Bytes of a pixel by the color type, of 8 bits each: gray, RGB, gray and alpha, RGBA.
PIXEL_BYTES: Final = {0: 1, 2: 3, 4: 2, 6: 4}
HEADER: Final = struct.Struct(">IIBBBBB")
BLOCK: Final = 1 << 16


def is_one_color(png: bytes) -> bool:
    """Return whether all pixels are equal; false for PNGs that browsers do not write."""
    chunks = _read_chunks(png)
    name, header = next(chunks, (b"", b""))
    if name != b"IHDR" or len(header) != HEADER.size:
        return False
    width, height, depth, color_type, _, _, interlaced = HEADER.unpack(header)
    size = PIXEL_BYTES.get(color_type, 0)
    if depth != 8 or interlaced or not size or not width or not height:  # noqa: PLR2004 - Bits.
        return False
    try:
        return _rows_are_equal(_inflate(chunks), width, height, size)
    except zlib.error:
        return False


def _read_chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(SIGNATURE) if png.startswith(SIGNATURE) else len(png)
    while position + 8 <= len(png):
        length, name = struct.unpack_from(">I4s", png, position)
        yield name, png[position + 8 : position + 8 + length]
        position += 12 + length


def _inflate(chunks: Iterator[tuple[bytes, bytes]]) -> Iterator[bytes]:
    stream = zlib.decompressobj()
    for name, data in chunks:
        waiting = data if name == b"IDAT" else b""
        while waiting:
            yield stream.decompress(waiting, BLOCK)
            waiting = stream.unconsumed_tail
    # The last block may be larger than what fitted into it.
    while rest := stream.decompress(stream.unconsumed_tail, BLOCK):
        yield rest


def _rows_are_equal(blocks: Iterator[bytes], width: int, height: int, size: int) -> bool:
    row_bytes = 1 + width * size
    buffer, color, rows = b"", b"", 0
    for block in blocks:
        buffer += block
        whole = len(buffer) // row_bytes
        for start in range(0, whole * row_bytes, row_bytes):
            row = buffer[start : start + row_bytes]
            # No filter changes the first pixel of the image.
            color = color or row[1 : 1 + size]
            if not _is_row_of(color, row, width, is_first=rows == 0):
                return False
            rows += 1
        buffer = buffer[whole * row_bytes :]
    return rows == height


def _is_row_of(color: bytes, row: bytes, width: int, *, is_first: bool) -> bool:
    none, sub, up, average, paeth = range(5)
    same = bytes(len(color))
    half = bytes(each - each // 2 for each in color)
    first, rest = {
        none: (color, color),
        sub: (color, same),
        up: (color, color) if is_first else (same, same),
        average: (color, half) if is_first else (half, same),
        paeth: (color if is_first else same, same),
    }.get(row[0], (b"", b""))
    return row[1:] == first + rest * (width - 1)
