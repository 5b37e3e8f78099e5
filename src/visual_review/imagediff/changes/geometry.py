"""How content moved, and what is new or lost besides: alike on pages with other content."""

import hashlib
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.digests import (
    MOST_DIGESTED,
    SIDES,
    digest_side,
    fit_within,
    split_box,
)
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Alignment, Marks

# Codes of an alignment's mask.
NEW, LOST = (1, 3), (2, 3)
DIFFERENT: Final = bytes(255 if code == 1 else 0 for code in range(256))


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
