"""Signatures: what a change has in common with others that are alike."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from visual_review.imagediff.changes.alikeness import Fading, Piece, drop_repeated, encode_content
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.changes.sketches import draw_sketch
from visual_review.imagediff.changes.structures import describe_structure
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")
Part = tuple[tuple[Box, Box], tuple[bytes, bytes]]
# More than this is compared exactly or not at all: sketches are for small changes.
MOST_SKETCHED, MOST_PIXELS = 40, 24_000
OPAQUE: Final = 255


def make_signature(marks: Marks) -> Signature:
    """Return what makes these changes alike with others."""
    found = marks.pair.find_pieces()
    pieces = marks.boxes if found is None else found
    return Signature(
        content=_describe_content(marks, pieces, _find_faint_outside(marks, pieces)),
        structure=describe_structure(marks),
    )


def _find_faint_outside(marks: Marks, pieces: Sequence[Box]) -> tuple[Box, ...]:
    """Return faint areas; what is within a piece is described with it."""
    faint = marks.pair.find_faint().boxes
    return tuple(box for box in faint if not any(_is_inside(box, piece) for piece in pieces))


def _describe_content(marks: Marks, pieces: Sequence[Box], faint: Sequence[Box]) -> str:
    """Describe what is in all boxes before and after; how often does not matter."""
    parts = dict(_read_part(marks, box) for box in pieces)
    shades = dict(_read_part(marks, box) for box in faint)
    whole = _digest(f"{digest} " for digest in sorted({*parts, *shades}))
    sizes = {(after.width, after.height) for (_, after), _ in shades.values()}
    fading = Fading(marks.pair.find_faint().pixels if shades else 0, tuple(sorted(sizes)))
    return encode_content(whole, _sketch([parts[key] for key in sorted(parts)]), fading)


def _read_part(marks: Marks, box: Box) -> tuple[str, Part]:
    """Return what both images have in a box, with a digest of it."""
    inner = (_within(box, marks.before), _within(box, marks.after))
    pixels = (_crop(marks, "before", inner[0]), _crop(marks, "after", inner[1]))
    sizes = (f"{part.width} {part.height} " for part in inner)
    return _digest(sizes, pixels), (inner, pixels)


def _sketch(parts: Sequence[Part]) -> tuple[Piece, ...]:
    """Return sketches of all parts, or none where they are many, large or translucent."""
    if len(parts) > MOST_SKETCHED or sum(len(each[1][0]) for each in parts) > 4 * MOST_PIXELS:
        return ()
    pieces = []
    for boxes, pixels in parts:
        if boxes[0].width != boxes[1].width or boxes[0].height != boxes[1].height:
            return ()
        width, height = boxes[0].width, boxes[0].height
        if any(min(side[3::4]) != OPAQUE for side in pixels):
            return ()
        before, after = (draw_sketch(side, width, height) for side in pixels)
        pieces.append(Piece(width, height, before, after))
    return tuple(drop_repeated(pieces))


def _crop(marks: Marks, side: Side, box: Box) -> bytes:
    return marks.pair.crop(side, box) if box.width and box.height else b""


def _digest(words: Iterable[str], pixels: Iterable[bytes] = ()) -> str:
    digest = hashlib.blake2b("".join(words).encode(), digest_size=16)
    for part in pixels:
        digest.update(part)
    return digest.hexdigest()


def _is_inside(box: Box, other: Box) -> bool:
    return (
        other.x <= box.x
        and other.y <= box.y
        and box.x + box.width <= other.x + other.width
        and box.y + box.height <= other.y + other.height
    )


def _within(box: Box, size: tuple[int, int]) -> Box:
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
