"""Signatures, which are equal for changes that are alike."""

import hashlib
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.model import Change, Signature
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")


def make_signature(marks: Marks, changes: Sequence[Change]) -> Signature:
    """Return what makes these changes alike with others."""
    return Signature(content=_content(marks, [change.box for change in changes]))


def _content(marks: Marks, boxes: Sequence[Box]) -> str:
    """Return a digest of what is in all boxes before and after."""
    parts = []
    for box in boxes:
        digest = hashlib.blake2b(digest_size=16)
        for side in SIDES:
            part = _within(box, marks.before if side == "before" else marks.after)
            digest.update(f"{part.width} {part.height} ".encode())
            if part.width and part.height:
                digest.update(marks.pair.crop(side, part))
        parts.append(digest.hexdigest())
    # The same change several times in one screenshot is no other change.
    return hashlib.blake2b(" ".join(sorted(set(parts))).encode(), digest_size=16).hexdigest()


def _within(box: Box, size: tuple[int, int]) -> Box:
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
