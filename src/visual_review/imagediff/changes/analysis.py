"""Find out what changed between two images that were compared."""

from visual_review.imagediff.changes.model import (
    NOTHING_CHANGED,
    Analysis,
    Change,
    ChangeKind,
)
from visual_review.imagediff.changes.signatures import make_signature
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks


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
        signature=make_signature(marks, changes),
    )


def _change(marks: Marks, box: Box) -> Change:
    inner = [_within(box, size) == box for size in (marks.before, marks.after)]
    kind: ChangeKind = "pixels" if all(inner) else "resized"
    description = "pixels differ" if kind == "pixels" else "size changed"
    return Change(kind, box, box.width * box.height, description)


def _within(box: Box, size: tuple[int, int]) -> Box:
    x, y = min(box.x, size[0]), min(box.y, size[1])
    return Box(x, y, min(box.width, size[0] - x), min(box.height, size[1] - y))
