"""Damage to compressed image data: to the rows inside, and to the stream itself."""

import random
import struct
import zlib
from functools import lru_cache

from tests.support.imagediff.fuzz.byte_damage import damage
from tests.support.imagediff.fuzz.parts import HEADER, Parts
from visual_review.imagediff.container import SAMPLES

MOST_INFLATED = 1 << 20
INPUT_STEP = 32
STRATEGIES = (zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED, zlib.Z_HUFFMAN_ONLY, zlib.Z_RLE)


@lru_cache(maxsize=1024)
def inflate_some(stream: bytes, wbits: int = 15) -> bytes:
    """Return the bytes inflated before the stream ends or is damaged."""
    reader, found = zlib.decompressobj(wbits), bytearray()
    # In steps, because an error loses the output of its step.
    for start in range(0, len(stream), INPUT_STEP):
        try:
            found += reader.decompress(stream[start : start + INPUT_STEP], MOST_INFLATED)
        except zlib.error:
            break
        if len(found) >= MOST_INFLATED:
            break
    return bytes(found)


def compress(rng: random.Random, rows: bytes) -> bytes:
    level, window = rng.randint(0, 9), rng.randint(9, 15)
    packer = zlib.compressobj(
        level, zlib.DEFLATED, window, rng.randint(1, 9), rng.choice(STRATEGIES)
    )
    middle = rng.randrange(len(rows) + 1)
    flush = rng.choice((zlib.Z_NO_FLUSH, zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH))
    # Without a flush there is nothing to flush, an error for zlib.
    first = packer.compress(rows[:middle]) + (packer.flush(flush) if flush else b"")
    return first + packer.compress(rows[middle:]) + packer.flush()


def damage_rows(rng: random.Random, parts: Parts) -> Parts:
    """Damage rows before compressing them again: filter bytes, indices, samples, length."""
    rows = bytearray(inflate_some(parts.stream))
    stride = row_stride(parts)
    kind = rng.randrange(4)
    if kind == 0 and rows:
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(rows)) // stride * stride
            rows[at] = rng.choice((0, 1, 2, 3, 4, 4, 5, 255))
    elif kind == 1 and rows:
        # Every row gets a valid filter, which makes other pixels of the row.
        for at in range(0, len(rows), stride):
            rows[at] = rng.randrange(5)
    elif kind == 2 and rows:
        at = rng.randrange(len(rows))
        rows[at : at + 20] = rng.randbytes(len(rows[at : at + 20]))
    else:
        rows = bytearray(damage(rng, bytes(rows)))
    return parts.with_stream(compress(rng, bytes(rows)))


def row_stride(parts: Parts) -> int:
    """Return the bytes from one row to the next if the header is true and not interlaced."""
    if len(parts.chunks[0].body) != struct.calcsize(HEADER):
        return 1
    width, _, depth, color, *_ = struct.unpack(HEADER, parts.chunks[0].body)
    return 1 + (width * SAMPLES.get(color, 1) * depth + 7) // 8


def damage_stream(rng: random.Random, parts: Parts) -> Parts:
    return parts.with_stream(damage_deflate(rng, parts.stream))


def damage_deflate(rng: random.Random, stream: bytes) -> bytes:
    """Damage a zlib stream; a new checksum may hide the damage."""
    kind = rng.randrange(3)
    if kind == 0 or len(stream) < 7:
        return damage(rng, stream)
    body = damage(rng, stream[2:-4])
    if kind == 1:
        return stream[:2] + body + stream[-4:]
    return stream[:2] + body + zlib.adler32(inflate_some(body, -15)).to_bytes(4)


KINDS = (damage_rows, damage_rows, damage_stream)
