"""Sketches of a part before and after as text, and whether two parts show the same."""

import base64
import struct
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from visual_review.imagediff.changes.model import Part
from visual_review.imagediff.changes.similarity import PLACE_SLACK, are_near
from visual_review.imagediff.sketch import Sketch, count_cells

SIDE: Final = struct.Struct("<BBBHHHHiii")
# Similar parts have about the same size.
STEP: Final = PLACE_SLACK + 1

Size = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SketchPair:
    """The sketches of a part before and after the change."""

    before: Sketch
    after: Sketch

    @property
    def rise(self) -> int:
        """How far down the content begins, compared with before; rows are never rounded."""
        return self.after.y - self.before.y if self.before.height and self.after.height else 0


def pack_sketches(before: Sketch, after: Sketch) -> str:
    """Return both as text of a few hundred characters."""
    return base64.b85encode(_write_side(before) + _write_side(after)).decode()


def are_alike(one: Part, two: Part) -> bool:
    """Return whether both replaced the same by the same, apart from rounding of edges."""
    if not (one.sketch and two.sketch):
        return False
    sizes = zip(size_of(one), size_of(two), strict=True)
    if any(abs(a - b) > PLACE_SLACK for a, b in sizes):
        return False
    ours, theirs = read_sketches(one.sketch), read_sketches(two.sketch)
    return (
        ours.rise == theirs.rise
        and are_near(ours.before, theirs.before)
        and are_near(ours.after, theirs.after)
    )


def size_of(part: Part) -> Size:
    return part.box.width, part.box.height


def sizes_near(part: Part) -> list[Size]:
    """Return the part's rough size, and then the sizes of all parts that may be similar."""
    width, height = (length // STEP for length in size_of(part))
    around = [(width + x, height + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
    return [(width, height), *around]


@lru_cache(maxsize=4096)
def read_sketches(text: str) -> SketchPair:
    """Return the sketches from the result of ``pack_sketches``."""
    data = base64.b85decode(text)
    before, at = _read_side(data, 0)
    after, _ = _read_side(data, at)
    return SketchPair(before, after)


def _write_side(side: Sketch) -> bytes:
    head = SIDE.pack(
        *(*side.background, side.x, side.y, side.width, side.height),
        *side.tint,
    )
    return head + side.lumas + side.hues + struct.pack(f"<{side.height}h", *side.ink)


def _read_side(data: bytes, at: int) -> tuple[Sketch, int]:
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
