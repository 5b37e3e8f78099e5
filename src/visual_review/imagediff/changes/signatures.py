"""Signatures: what a change has in common with others that are alike."""

import hashlib
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.alikeness import Fading, Piece, drop_repeated, encode_content
from visual_review.imagediff.changes.digests import MOST_DIGESTED, SIDES, digest_side, fit_within
from visual_review.imagediff.changes.geometry import describe_geometry
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.changes.sketches import draw_sketch
from visual_review.imagediff.changes.structures import describe_structure
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks

# What is drawn before and after; a part that one image lacks is empty.
Part = tuple[Box, Box]
# More than this is compared exactly: sketches are for small changes.
MOST_SKETCHED, MOST_PIXELS = 40, 24_000
OPAQUE: Final = 255


def make_signature(marks: Marks, alignment: Alignment) -> Signature:
    """Return what makes these changes alike with others."""
    found = marks.pair.find_pieces()
    pieces = marks.boxes if found is None else found
    return Signature(
        content=_describe_content(marks, pieces, _find_faint_outside(marks, pieces)),
        geometry=describe_geometry(marks, alignment),
        structure=describe_structure(marks),
    )


def _find_faint_outside(marks: Marks, pieces: Sequence[Box]) -> tuple[Box, ...]:
    """Return faint areas; what is within a piece is described with it."""
    faint = marks.pair.find_faint().boxes
    return tuple(box for box in faint if not any(_is_inside(box, piece) for piece in pieces))


def _describe_content(marks: Marks, pieces: Sequence[Box], faint: Sequence[Box]) -> str:
    """Describe what is in all boxes before and after; how often does not matter."""
    if sum(box.width * box.height for box in (*pieces, *faint)) > MOST_DIGESTED:
        return ""
    parts = dict(_read_part(marks, box) for box in pieces)
    shades = dict(_read_part(marks, box) for box in faint)
    whole = hashlib.blake2b("".join(sorted({*parts, *shades})).encode(), digest_size=16)
    sizes = {(after.width, after.height) for _, after in shades.values()}
    fading = Fading(marks.pair.find_faint().pixels if shades else 0, tuple(sorted(sizes)))
    sketches = _sketch(marks, [parts[key] for key in sorted(parts)])
    return encode_content(whole.hexdigest(), sketches, fading)


def _read_part(marks: Marks, box: Box) -> tuple[str, Part]:
    """Return what both images have in a box, with a digest of it."""
    part = (fit_within(box, marks.before), fit_within(box, marks.after))
    digest = hashlib.blake2b(digest_size=16)
    for side in SIDES:
        digest_side(digest, marks, side, box)
    return digest.hexdigest(), part


def _sketch(marks: Marks, parts: Sequence[Part]) -> tuple[Piece, ...]:
    """Return sketches of all parts, or none where they are many, large or translucent."""
    area = sum(after.width * after.height for _, after in parts)
    if len(parts) > MOST_SKETCHED or area > MOST_PIXELS or any(one != two for one, two in parts):
        return ()
    pieces = []
    for box, _ in parts:
        sides = [marks.pair.crop(side, box) for side in SIDES]
        if any(min(pixels[3::4]) != OPAQUE for pixels in sides):
            return ()
        before, after = (draw_sketch(pixels, box.width, box.height) for pixels in sides)
        pieces.append(Piece(box.width, box.height, before, after))
    return tuple(drop_repeated(pieces))


def _is_inside(box: Box, other: Box) -> bool:
    return (
        other.x <= box.x
        and other.y <= box.y
        and box.x + box.width <= other.x + other.width
        and box.y + box.height <= other.y + other.height
    )
