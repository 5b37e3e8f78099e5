"""Small descriptions of changed content that stay comparable where rounding moved an edge."""

import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Color = tuple[int, int, int]
Area = tuple[int, int, int, int]
Planes = tuple[bytes, bytes, bytes]

CELL: Final = 8
# Rounding in a rasterizer changes the mean of a square by no more than this.
EXACT_SLACK: Final = 1
# Where text is drawn at another fraction of a pixel, a square changes by up to this part of the
# contrast (percent), while what a row of pixels has of ink stays the same. That is so for lines of
# text, and in anything larger it would hide too much.
CELL_SLACK, ROW_SLACK = 33, 5
TEXT_HEIGHT, TEXT_WIDTH = 48, 200
# Sizes and positions may differ by rounding of either edge.
SIZE_SLACK, PLACE_SLACK, COLOR_SLACK = 1, 2, 2
MOST_INK: Final = 32_767
MIDDLE: Final = 128


@dataclass(frozen=True, slots=True)
class Sketch:
    """One side of a changed area: its background, and what is on it.

    ``background`` is the most common color. ``x``, ``y``, ``width`` and ``height`` enclose the
    pixels of other colors. From the top left of that box on, ``lumas`` are the mean lightness of
    squares and ``hues`` how much redder than blue they are. ``ink`` is how much darker than the
    background each row is in sum, ``tint`` the sum of red, green and blue distances
    over all of it.
    """

    background: Color
    x: int
    y: int
    width: int
    height: int
    lumas: bytes
    hues: bytes
    ink: tuple[int, ...]
    tint: Color


def draw_sketch(pixels: bytes, width: int, height: int) -> Sketch:
    """Describe RGBA pixels, row by row."""
    packed = memoryview(pixels).cast("I")
    counted = Counter(packed)
    most = max(counted.values())
    # Bytes have the same order on every machine.
    common = min(color.to_bytes(4, sys.byteorder) for color, n in counted.items() if n == most)
    background = (common[0], common[1], common[2])
    stride, line = 4 * width, common * width
    rows = [y for y in range(height) if pixels[y * stride : (y + 1) * stride] != line]
    if not rows:
        return Sketch(background, 0, 0, 0, 0, b"", b"", (), (0, 0, 0))
    top, bottom = rows[0], rows[-1] + 1
    line = common * (bottom - top)
    columns = [
        x
        for x in range(width)
        if packed[top * width + x : bottom * width : width].tobytes() != line
    ]
    area = (columns[0], top, columns[-1] + 1, bottom)
    return _measure((pixels[0::4], pixels[1::4], pixels[2::4]), width, area, background)


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


def weigh(red: int, green: int, blue: int) -> int:
    """Return the lightness of a color, 0 to 255."""
    return (77 * red + 150 * green + 29 * blue) >> 8


def count_cells(length: int) -> int:
    """Return how many squares cover a length."""
    return -(-length // CELL)


def _measure(planes: Planes, width: int, area: Area, background: Color) -> Sketch:
    left, top, right, bottom = area
    lumas, hues = bytearray(), bytearray()
    for y in range(top, bottom, CELL):
        rows = range(y * width, min(y + CELL, bottom) * width, width)
        for x in range(left, right, CELL):
            spans = [slice(row + x, row + min(x + CELL, right)) for row in rows]
            outside = CELL * CELL - len(spans) * (spans[0].stop - spans[0].start)
            color = [
                (sum(sum(plane[span]) for span in spans) + outside * base) // (CELL * CELL)
                for plane, base in zip(planes, background, strict=True)
            ]
            lumas.append(weigh(*color))
            hues.append(_find_hue(color[0], color[2]))
    ink = tuple(
        _weigh_row(planes, background, y * width, (y + 1) * width) for y in range(top, bottom)
    )
    tint = [sum(plane) - len(plane) * base for plane, base in zip(planes, background, strict=True)]
    return Sketch(
        *(background, left, top, right - left, bottom - top, bytes(lumas), bytes(hues), ink),
        (tint[0], tint[1], tint[2]),
    )


def _weigh_row(planes: Planes, background: Color, start: int, end: int) -> int:
    """Return how much darker a row is than its background, positive or negative."""
    distances = [
        (end - start) * base - sum(plane[start:end])
        for plane, base in zip(planes, background, strict=True)
    ]
    weight: int = (distances[0] + 2 * distances[1] + distances[2]) // 4
    return max(-MOST_INK, min(MOST_INK, weight))


def _find_hue(red: int, blue: int) -> int:
    return MIDDLE + ((red - blue) >> 1)


def _paper_hue(background: Color) -> int:
    return _find_hue(background[0], background[2])


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
    """Return the cells on a grid that may be larger."""
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
