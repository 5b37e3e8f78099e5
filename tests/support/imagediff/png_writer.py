"""Write PNG files of every form, valid or deliberately broken, for the tests."""

import random
import struct
import zlib
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

SIGNATURE = b"\x89PNG\r\n\x1a\n"
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
PASSES = (
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
)

Samples = list[list[tuple[int, ...]]]


@dataclass
class Form:
    """How an image is stored; ``filters`` is the seed for choosing row filters."""

    depth: int = 8
    color: int = 6
    interlaced: bool = False
    filters: int | None = None
    palette: bytes | None = None
    transparency: bytes | None = None
    idat_size: int = 1 << 16
    extra: list[tuple[bytes, bytes]] = field(default_factory=list)


def chunk(kind: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def header(width: int, height: int, depth: int = 8, color: int = 6, interlace: int = 0) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))


def png_of_samples(samples: Samples, form: Form) -> bytes:
    """Encode rows of pixels, each a tuple of samples in the form's own depth."""
    width, height = len(samples[0]), len(samples)
    rng = random.Random(form.filters)
    parts = []
    for left, top, across, down in PASSES if form.interlaced else ((0, 0, 1, 1),):
        rows = [row[left::across] for row in samples[top::down] if row[left::across]]
        parts.append(_filtered([_packed(row, form.depth) for row in rows], form, rng))
    stream = zlib.compress(b"".join(parts))
    pieces = [stream[at : at + form.idat_size] for at in range(0, len(stream), form.idat_size)]
    chunks = [header(width, height, form.depth, form.color, int(form.interlaced))]
    chunks += [chunk(kind, body) for kind, body in form.extra]
    if form.palette is not None:
        chunks.append(chunk(b"PLTE", form.palette))
    if form.transparency is not None:
        chunks.append(chunk(b"tRNS", form.transparency))
    chunks += [chunk(b"IDAT", piece) for piece in pieces]
    return SIGNATURE + b"".join(chunks) + chunk(b"IEND")


def png(pixels: npt.NDArray[np.uint8]) -> bytes:
    """Encode (height, width, 4) RGBA pixels plainly."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + width * 4), np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    return raw_png(header(width, height), zlib.compress(rows.tobytes(), 1))


def raw_png(head: bytes, data: bytes, *others: bytes) -> bytes:
    return SIGNATURE + head + b"".join(others) + chunk(b"IDAT", data) + chunk(b"IEND")


def _packed(row: list[tuple[int, ...]], depth: int) -> bytes:
    bits = "".join(f"{sample:0{depth}b}" for pixel in row for sample in pixel)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def _filtered(rows: list[bytes], form: Form, rng: random.Random) -> bytes:
    look_back = max(1, SAMPLES[form.color] * form.depth // 8)
    above = bytes(len(rows[0])) if rows else b""
    result = bytearray()
    for row in rows:
        kind = 0 if form.filters is None else rng.randrange(5)
        result.append(kind)
        for at, value in enumerate(row):
            left = row[at - look_back] if at >= look_back else 0
            corner = above[at - look_back] if at >= look_back else 0
            guess = (0, left, above[at], (left + above[at]) // 2, _paeth(left, above[at], corner))
            result.append((value - guess[kind]) % 256)
        above = row
    return bytes(result)


def _paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    # min() returns the first of equals, as the specification orders them.
    return min((left, above, corner), key=lambda value: abs(guess - value))
