"""Signatures: what a change has in common with others that are alike."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

from visual_review.imagediff.changes.alikeness import Piece, drop_repeated, encode_content
from visual_review.imagediff.changes.model import Change, Signature
from visual_review.imagediff.changes.pieces import find_pieces
from visual_review.imagediff.changes.sketches import draw_sketch
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")
# More than this is compared exactly or not at all: sketches are for small changes.
MOST_SKETCHED, MOST_PIXELS = 40, 48_000
OPAQUE: Final = 255


def make_signature(marks: Marks, changes: Sequence[Change]) -> Signature:
    """Return what makes these changes alike with others."""
    faint = [change.box for change in changes if change.kind == "faint"]
    found = find_pieces(marks.mask, marks.width, marks.boxes) if marks.boxes else ()
    pieces = marks.boxes if found is None else found
    return Signature(content=_describe_content(marks, [*pieces, *faint]))


def _describe_content(marks: Marks, boxes: Sequence[Box]) -> str:
    """Describe what is in all boxes before and after; how often does not matter."""
    parts: dict[str, tuple[bytes, bytes]] = {}
    sizes: dict[str, tuple[Box, Box]] = {}
    for box in boxes:
        inner = (_within(box, marks.before), _within(box, marks.after))
        pixels = (_crop(marks, "before", inner[0]), _crop(marks, "after", inner[1]))
        digest = _digest(f"{part.width} {part.height} " for part in inner)
        digest = _digest([digest], pixels)
        parts[digest], sizes[digest] = pixels, inner
    whole = _digest(f"{digest} " for digest in sorted(parts))
    return encode_content(whole, _sketch([(sizes[key], parts[key]) for key in sorted(parts)]))


def _sketch(
    parts: Sequence[tuple[tuple[Box, Box], tuple[bytes, bytes]]],
) -> tuple[Piece, ...]:
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


def _within(box: Box, size: tuple[int, int]) -> Box:
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
