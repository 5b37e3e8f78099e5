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
FADING: Final = struct.Struct("<IH")
SIZE: Final = struct.Struct("<HH")
PIECE: Final = struct.Struct("<HH")
SIDE: Final = struct.Struct("<BBBHHHHiii")

# Shadows of the same element have as many pixels, and are as large, but for these parts (percent):
# where a shadow ends is within the noise.
FADING_SLACK, FADED_SIZE_SLACK = 5, 8

Size = tuple[int, int]
# Where contents are found that may be the same: by digest, or by the size of their largest pieces.
Extent = str | Size


@dataclass(frozen=True, slots=True)
class Piece:
    """A connected group of changed pixels: what was there and what is."""

    width: int
    height: int
    before: Sketch
    after: Sketch


@dataclass(frozen=True, slots=True)
class Fading:
    """Faint changes outside of pieces: how many pixels, and the sizes of their areas."""

    pixels: int
    sizes: tuple[Size, ...]


NO_FADING: Final = Fading(0, ())


def encode_content(digest: str, pieces: Sequence[Piece], fading: Fading = NO_FADING) -> str:
    """Return a string: a digest of the exact content, and sketches where they are short."""
    if not pieces:
        return digest
    head = FADING.pack(fading.pixels, len(fading.sizes))
    sizes = b"".join(SIZE.pack(*size) for size in fading.sizes)
    data = zlib.compress(head + sizes + b"".join(_write_piece(piece) for piece in pieces), 9)
    if len(data) > MOST_BYTES:
        return digest
    return digest + SEPARATOR + base64.b85encode(data).decode()


def have_same_content(one: str, two: str) -> bool:
    """Return whether two signatures' content is equal, apart from rounding of edges."""
    if one.partition(SEPARATOR)[0] == two.partition(SEPARATOR)[0]:
        return True
    (ours, our_fading), (theirs, their_fading) = _read_content(one), _read_content(two)
    return (
        bool(ours and theirs)
        and _faded_alike(our_fading, their_fading)
        and _contains(ours, theirs)
        and _contains(theirs, ours)
    )


def extents_near(content: str) -> list[Extent]:
    """Return the content's extent, and then those of all others that may be the same."""
    pieces, _ = _read_content(content)
    if not pieces:
        return [content.partition(SEPARATOR)[0]]
    # Each piece has its like in the other content, so the largest are about as large.
    step = PLACE_SLACK + 1
    width = max(piece.width for piece in pieces) // step
    height = max(piece.height for piece in pieces) // step
    around = [(width + x, height + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return [(width, height), *around]


@lru_cache(maxsize=4096)
def _read_content(content: str) -> tuple[tuple[Piece, ...], Fading]:
    encoded = content.partition(SEPARATOR)[2]
    if not encoded:
        return (), NO_FADING
    data = zlib.decompress(base64.b85decode(encoded))
    pixels, count = FADING.unpack_from(data)
    at = FADING.size + count * SIZE.size
    sizes = tuple((width, height) for width, height in SIZE.iter_unpack(data[FADING.size : at]))
    return tuple(_read_pieces(data[at:])), Fading(pixels, sizes)


def _faded_alike(one: Fading, two: Fading) -> bool:
    slack = max(one.pixels, two.pixels) * FADING_SLACK // 100
    return (
        abs(one.pixels - two.pixels) <= slack
        and _has_sizes(one.sizes, two.sizes)
        and _has_sizes(two.sizes, one.sizes)
    )


def _has_sizes(sizes: Sequence[Size], others: Sequence[Size]) -> bool:
    return all(any(_are_close(size, other) for size in sizes) for other in others)


def _are_close(one: Size, two: Size) -> bool:
    return all(
        abs(a - b) <= max(PLACE_SLACK, max(a, b) * FADED_SIZE_SLACK // 100)
        for a, b in zip(one, two, strict=True)
    )


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
        + struct.pack(f"<{side.height}h", *side.ink)
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
    ink = struct.unpack_from(f"<{height}h", data, end)
    sketch = Sketch(
        *((red, green, blue), x, y, width, height),
        *(data[start : start + count], data[start + count : end]),
        *(ink, (tint[0], tint[1], tint[2])),
    )
    return sketch, end + 2 * height
