"""Whether two changes replaced the same by the same, from their signatures alone."""

import base64
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from visual_review.imagediff.changes.sketches import PLACE_SLACK, Sketch, are_near, count_cells

SEPARATOR: Final = ":"
MOST_BYTES: Final = 2_000
PIECE: Final = struct.Struct("<HH")
SIDE: Final = struct.Struct("<BBBHHHHiii")


@dataclass(frozen=True, slots=True)
class Piece:
    """A connected group of changed pixels: what was there and what is."""

    width: int
    height: int
    before: Sketch
    after: Sketch


def encode_content(digest: str, pieces: Sequence[Piece]) -> str:
    """Return a string: a digest of the exact content, and sketches where they are short."""
    if not pieces:
        return digest
    data = zlib.compress(b"".join(_write_piece(piece) for piece in pieces), 9)
    if len(data) > MOST_BYTES:
        return digest
    return digest + SEPARATOR + base64.b85encode(data).decode()


def have_same_content(one: str, two: str) -> bool:
    """Return whether two signatures' content is equal, apart from rounding of edges."""
    if one.partition(SEPARATOR)[0] == two.partition(SEPARATOR)[0]:
        return True
    ours, theirs = read_pieces(one), read_pieces(two)
    return bool(ours and theirs) and _contains(ours, theirs) and _contains(theirs, ours)


@lru_cache(maxsize=4096)
def read_pieces(content: str) -> tuple[Piece, ...]:
    """Return the sketches of a signature's content; there may be none."""
    encoded = content.partition(SEPARATOR)[2]
    return tuple(_read_pieces(zlib.decompress(base64.b85decode(encoded)))) if encoded else ()


def drop_repeated(pieces: Sequence[Piece]) -> list[Piece]:
    """Return one of each set of pieces that are the same, apart from rounding."""
    kept: list[Piece] = []
    for piece in pieces:
        if not any(_is_same(piece, other) for other in kept):
            kept.append(piece)
    return kept


def _contains(pieces: Sequence[Piece], others: Sequence[Piece]) -> bool:
    return all(any(_is_same(piece, other) for piece in pieces) for other in others)


def _is_same(one: Piece, two: Piece) -> bool:
    return (
        abs(one.width - two.width) <= PLACE_SLACK
        and abs(one.height - two.height) <= PLACE_SLACK
        and are_near(one.before, two.before)
        and are_near(one.after, two.after)
    )


def _write_piece(piece: Piece) -> bytes:
    sides = (piece.before, piece.after)
    return PIECE.pack(piece.width, piece.height) + b"".join(
        SIDE.pack(
            *(*side.background, side.x, side.y, side.width, side.height),
            *side.tint,
        )
        + side.lumas
        + side.hues
        + struct.pack(f"<{side.height}H", *side.ink)
        for side in sides
    )


def _read_pieces(data: bytes) -> Iterator[Piece]:
    at = 0
    while at < len(data):
        width, height = PIECE.unpack_from(data, at)
        before, at = _read_sketch(data, at + PIECE.size)
        after, at = _read_sketch(data, at)
        yield Piece(width, height, before, after)


def _read_sketch(data: bytes, at: int) -> tuple[Sketch, int]:
    red, green, blue, x, y, width, height, *tint = SIDE.unpack_from(data, at)
    start, count = at + SIDE.size, count_cells(width) * count_cells(height)
    end = start + 2 * count
    ink = struct.unpack_from(f"<{height}H", data, end)
    sketch = Sketch(
        *((red, green, blue), x, y, width, height),
        *(data[start : start + count], data[start + count : end]),
        *(ink, (tint[0], tint[1], tint[2])),
    )
    return sketch, end + 2 * height
