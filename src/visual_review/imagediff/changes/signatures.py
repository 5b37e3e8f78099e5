"""Signatures: what a change has in common with others that are alike."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

from visual_review.imagediff.changes.alikeness import Fading, Piece, drop_repeated, encode_content
from visual_review.imagediff.changes.model import Signature
from visual_review.imagediff.changes.sketches import draw_sketch
from visual_review.imagediff.changes.structures import describe_structure
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")
# Pages of which more changed are alike with none, which saves the time to read all of them.
MOST_DIGESTED: Final = 6_000_000
BAND_PIXELS: Final = 64 * 1024
# Codes of an alignment's mask.
NEW, LOST = (1, 3), (2, 3)
DIFFERENT: Final = bytes(255 if code == 1 else 0 for code in range(256))
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


def describe_geometry(marks: Marks, alignment: Alignment) -> str:
    """Return a digest of how far content moved, how sizes changed, and of the rest.

    It is empty where nothing moved: then content says everything.
    """
    if not alignment.moves or alignment.pixels > MOST_DIGESTED:
        return ""
    grown = (marks.after[0] - marks.before[0], marks.after[1] - marks.before[1])
    offsets = sorted({(move.dx, move.dy) for move in alignment.moves})
    rest = sorted({_digest_rest(marks, alignment, box) for box in alignment.boxes} - {""})
    text = f"{grown} {offsets} {rest}"
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def _digest_rest(marks: Marks, alignment: Alignment, box: Box) -> str:
    """Return a digest of what is new or lost in a box, and where; empty if it is nothing."""
    rows = [_read_row(marks, alignment, box, y) for y in range(box.y, box.y + box.height)]
    area = _trim(rows, box)
    if area is None:
        return ""
    left, top = area.x - box.x, area.y - box.y
    part = [row[left : left + area.width] for row in rows[top : top + area.height]]
    codes = b"".join(part)
    has_new, has_lost = (any(code in codes for code in each) for each in (NEW, LOST))
    if not has_new and _was_flat(marks, area):
        # Moved content covers background, of which there may be more or less.
        return ""
    digest = hashlib.blake2b(codes, digest_size=16)
    for side, is_used in zip(SIDES, (has_lost, has_new), strict=True):
        if is_used:
            digest_side(digest, marks, side, area)
    return digest.hexdigest()


def _read_row(marks: Marks, alignment: Alignment, box: Box, y: int) -> bytes:
    """Return codes of pixels that differ, too, if nothing is aligned.

    Others show the same as before: background between moved content, for example.
    """
    start = y * marks.width + box.x
    plain = bytes(marks.mask[start : start + box.width]).translate(DIFFERENT)
    aligned = bytes(alignment.mask[start : start + box.width])
    both = int.from_bytes(plain, "big") & int.from_bytes(aligned, "big")
    return both.to_bytes(box.width, "big")


def _trim(rows: Sequence[bytes], box: Box) -> Box | None:
    """Return the box around all codes, or None without any."""
    filled = [index for index, row in enumerate(rows) if row.strip(b"\0")]
    if not filled:
        return None
    left = min(len(rows[index]) - len(rows[index].lstrip(b"\0")) for index in filled)
    right = max(len(rows[index].rstrip(b"\0")) for index in filled)
    return Box(box.x + left, box.y + filled[0], right - left, filled[-1] + 1 - filled[0])


def _was_flat(marks: Marks, box: Box) -> bool:
    """Return whether the earlier image has a single color in a box."""
    inner = fit_within(box, marks.before)
    if not (inner.width and inner.height):
        return True
    first = marks.pair.crop("before", Box(inner.x, inner.y, 1, 1))
    bands = (marks.pair.crop("before", band) for band in split_box(inner))
    return all(band == first * (len(band) // len(first)) for band in bands)


class Digest(Protocol):
    """A hash of the standard library."""

    def update(self, data: bytes, /) -> None: ...


def digest_side(digest: Digest, marks: Marks, side: Side, box: Box) -> None:
    """Add what one image has in a box, and how much of the box it covers."""
    inner = fit_within(box, marks.before if side == "before" else marks.after)
    digest.update(f"{inner.width} {inner.height} ".encode())
    for band in split_box(inner):
        digest.update(marks.pair.crop(side, band))


def split_box(box: Box) -> Iterator[Box]:
    """Yield bands of a box, so that little of an image is copied at a time."""
    rows = max(1, BAND_PIXELS // max(1, box.width))
    for y in range(box.y, box.y + box.height if box.width else box.y, rows):
        yield Box(box.x, y, box.width, min(rows, box.y + box.height - y))


def fit_within(box: Box, size: tuple[int, int]) -> Box:
    """Return the part of a box that is in an image of this size."""
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
