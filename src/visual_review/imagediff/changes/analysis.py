"""Find out what changed between two images that were compared."""

import hashlib
from typing import Final

from visual_review.imagediff.changes.model import (
    NOTHING_CHANGED,
    Analysis,
    Change,
    ChangeKind,
    Signature,
)
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Side

SIDES: Final[tuple[Side, Side]] = ("before", "after")


def analyze(marks: Marks) -> Analysis:
    """Return what changed; it costs nothing where no pixel differs."""
    counts = marks.counts
    if not counts.different:
        return NOTHING_CHANGED
    changes = tuple(_change(marks, box) for box in marks.boxes)
    return Analysis(
        kind=changes[0].kind,
        summary=f"{counts.different:,} pixels differ",
        changes=changes,
        aligned_pixels=counts.different,
        aligned_ratio=counts.different / counts.compared,
        faint_pixels=0,
        is_faintly_changed=False,
        severity=min(1.0, counts.different / counts.compared),
        signature=Signature(content=_content(marks)),
    )


def _change(marks: Marks, box: Box) -> Change:
    inner = [_within(box, size) == box for size in (marks.before, marks.after)]
    kind: ChangeKind = "pixels" if all(inner) else "resized"
    description = "pixels differ" if kind == "pixels" else "size changed"
    return Change(kind, box, box.width * box.height, description)


def _content(marks: Marks) -> str:
    """Return a digest of what is in all boxes before and after."""
    parts = []
    for box in marks.boxes:
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
