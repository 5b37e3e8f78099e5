"""Small descriptions of changed content, comparable even where rounding moved an edge."""

import base64
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from visual_review.imagediff.changes.model import Part
from visual_review.imagediff.sketch import Color, Sketch, count_cells, find_hue, weigh

# Rounding in a rasterizer changes the mean of a square by no more.
EXACT_SLACK: Final = 1
SIDE: Final = struct.Struct("<BBBHHHHiii")
Size = tuple[int, int]
# Text at another fraction of a pixel changes a square by up to such a part of the contrast
# (percent), while the ink of a row of pixels stays the same. The rule is for lines of text; in
# anything larger, the slack would hide too much.
CELL_SLACK, ROW_SLACK = 33, 5
TEXT_HEIGHT, TEXT_WIDTH = 48, 200
# Sizes and positions may differ by rounding of either edge.
SIZE_SLACK, PLACE_SLACK, COLOR_SLACK = 1, 2, 2


def are_near(one: Sketch, two: Sketch) -> bool:
    """Return whether both show the same, apart from rounding."""
    if max(map(_distance, one.background, two.background)) > COLOR_SLACK:
        return False
    if max(abs(one.width - two.width), abs(one.height - two.height)) > SIZE_SLACK:
        return False
    if max(abs(one.x - two.x), abs(one.y - two.y)) > PLACE_SLACK:
        return False
    if one.width == two.width and one.height == two.height and _have_equal_cells(one, two):
        return True
    if max(one.height, two.height) > TEXT_HEIGHT or max(one.width, two.width) > TEXT_WIDTH:
        return False
    return _have_same_ink(one, two) and _have_same_tint(one, two) and _have_similar_cells(one, two)


def _paper_hue(background: Color) -> int:
    return find_hue(background[0], background[2])


def _have_equal_cells(one: Sketch, two: Sketch) -> bool:
    pairs = zip(one.lumas + one.hues, two.lumas + two.hues, strict=True)
    return all(abs(a - b) <= EXACT_SLACK for a, b in pairs)


def _have_similar_cells(one: Sketch, two: Sketch) -> bool:
    lumas = (one.lumas, two.lumas, weigh(*one.background), weigh(*two.background))
    hues = (one.hues, two.hues, _paper_hue(one.background), _paper_hue(two.background))
    return all(_are_similar(one, two, *each) for each in (lumas, hues))


def _are_similar(
    one: Sketch, two: Sketch, ours: bytes, theirs: bytes, outer: int, other: int
) -> bool:
    contrast = min(
        max((abs(cell - outer) for cell in ours), default=0),
        max((abs(cell - other) for cell in theirs), default=0),
    )
    slack = EXACT_SLACK + contrast * CELL_SLACK // 100
    across = max(count_cells(one.width), count_cells(two.width))
    down = max(count_cells(one.height), count_cells(two.height))
    left, right = _spread(one, ours, across, down, outer), _spread(two, theirs, across, down, other)
    return all(abs(a - b) <= slack for a, b in zip(left, right, strict=True))


def _spread(sketch: Sketch, cells: bytes, across: int, down: int, outer: int) -> list[int]:
    """Return the cells on a possibly larger grid."""
    own = count_cells(sketch.width)
    spread: list[int] = []
    for row in range(count_cells(sketch.height)):
        spread += [*cells[row * own : (row + 1) * own], *[outer] * (across - own)]
    return spread + [outer] * (across * down - len(spread))


def _have_same_ink(one: Sketch, two: Sketch) -> bool:
    """Compare rows, also with the one above or below where an edge was rounded."""
    slack = max(map(abs, (*one.ink, *two.ink)), default=0) * ROW_SLACK // 100
    shifts = range(-SIZE_SLACK, SIZE_SLACK + 1)
    return any(_match_rows(one.ink, two.ink, shift, slack) for shift in shifts)


def _match_rows(one: Sequence[int], two: Sequence[int], shift: int, slack: int) -> bool:
    span = range(min(0, -shift), max(len(one), len(two) - shift))
    return all(abs(_at(one, y) - _at(two, y + shift)) <= slack for y in span)


def _at(values: Sequence[int], index: int) -> int:
    return values[index] if 0 <= index < len(values) else 0


def _have_same_tint(one: Sketch, two: Sketch) -> bool:
    slack = max(map(abs, (*one.tint, *two.tint))) * ROW_SLACK // 100
    return max(map(_distance, one.tint, two.tint)) <= slack


def _distance(one: int, two: int) -> int:
    return abs(one - two)


# Similar parts have about the same size.
STEP: Final = PLACE_SLACK + 1


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
