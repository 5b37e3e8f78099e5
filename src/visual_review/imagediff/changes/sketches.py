"""Small descriptions of changed content that stay comparable where rounding moved an edge."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

Color = tuple[int, int, int]

CELL: Final = 8
# Where text is drawn at another fraction of a pixel, a square changes by up to this part of the
# contrast (percent), while what a row of pixels has of ink stays the same.
CELL_SLACK, ROW_SLACK = 33, 5
# Sizes and positions may differ by rounding of either edge.
SIZE_SLACK, PLACE_SLACK, LUMA_SLACK = 1, 2, 2
MOST_INK: Final = 65_535


@dataclass(frozen=True, slots=True)
class Sketch:
    """One side of a changed area: its background, and what is drawn on it.

    ``background`` is the most common color, ``paper`` its luma. ``x``, ``y``, ``width`` and ``height``
    enclose the pixels of other colors within the area; ``contrast`` is the largest distance of a
    cell from the background. ``cells`` are the mean luma of squares from the top left of that box,
    ``ink`` is the sum of all distances from the background for each row of it, ``tint`` that of the
    red, green and blue distances over all of it.
    """

    background: Color
    x: int
    y: int
    width: int
    height: int
    contrast: int
    cells: bytes
    ink: tuple[int, ...]
    tint: Color

    @property
    def paper(self) -> int:
        return weigh(*self.background)


def draw_sketch(pixels: bytes, width: int, height: int) -> Sketch:
    """Describe RGBA pixels, row by row."""
    packed = memoryview(pixels).cast("I")
    counted = Counter(packed)
    most = max(counted.values())
    common = min(color for color, count in counted.items() if count == most)
    planes = tuple(pixels[channel::4] for channel in range(3))
    first = packed.tolist().index(common)
    background = (planes[0][first], planes[1][first], planes[2][first])
    rows = [y for y in range(height) if _differs(packed[y * width : (y + 1) * width], common)]
    if not rows:
        return Sketch(background, 0, 0, 0, 0, 0, b"", (), (0, 0, 0))
    top, bottom = rows[0], rows[-1] + 1
    columns = [
        x
        for x in range(width)
        if _differs(packed[top * width + x : bottom * width : width], common)
    ]
    area = (columns[0], top, columns[-1] + 1, bottom)
    return _measure(planes, width, area, background)


def weigh(red: int, green: int, blue: int) -> int:
    """Return the luma of a color; swapping red and blue changes it."""
    return (77 * red + 150 * green + 29 * blue) >> 8


def _measure(
    planes: tuple[bytes, ...], width: int, area: tuple[int, int, int, int], background: Color
) -> Sketch:
    left, top, right, bottom = area
    luma = bytes(map(weigh, *planes))
    paper = weigh(*background)
    cells = _average(luma, width, area, paper)
    ink = tuple(
        min(MOST_INK, sum(abs(value - paper) for value in luma[y * width : (y + 1) * width]))
        for y in range(top, bottom)
    )
    tints = [sum(plane) - len(plane) * base for plane, base in zip(planes, background, strict=True)]
    return Sketch(
        *(background, left, top, right - left, bottom - top),
        *(max(abs(cell - paper) for cell in cells), cells, ink, (tints[0], tints[1], tints[2])),
    )


def are_near(one: Sketch, two: Sketch) -> bool:
    """Return whether both show the same, apart from rounding."""
    if max(map(_distance, one.background, two.background)) > LUMA_SLACK:
        return False
    if abs(one.width - two.width) > SIZE_SLACK or abs(one.height - two.height) > SIZE_SLACK:
        return False
    if abs(one.x - two.x) > PLACE_SLACK or abs(one.y - two.y) > PLACE_SLACK:
        return False
    contrast = min(one.contrast, two.contrast)
    slack = LUMA_SLACK + contrast * CELL_SLACK // 100
    return (
        _have_same_ink(one, two)
        and _have_same_tint(one, two)
        and all(abs(a - b) <= slack for a, b in zip(*_pad(one, two), strict=True))
    )


def _have_same_ink(one: Sketch, two: Sketch) -> bool:
    """Compare rows, also with the one above or below where an edge was rounded."""
    slack = max(max(one.ink, default=0), max(two.ink, default=0)) * ROW_SLACK // 100
    shifts = range(-SIZE_SLACK, SIZE_SLACK + 1)
    return any(_match_rows(one.ink, two.ink, shift, slack) for shift in shifts)


def _have_same_tint(one: Sketch, two: Sketch) -> bool:
    slack = max(map(abs, (*one.tint, *two.tint))) * ROW_SLACK // 100
    return max(map(_distance, one.tint, two.tint)) <= slack


def _distance(one: int, two: int) -> int:
    return abs(one - two)


def _match_rows(one: Sequence[int], two: Sequence[int], shift: int, slack: int) -> bool:
    span = range(min(0, -shift), max(len(one), len(two) - shift))
    return all(abs(_at(one, y) - _at(two, y + shift)) <= slack for y in span)


def _at(values: Sequence[int], index: int) -> int:
    return values[index] if 0 <= index < len(values) else 0


def _differs(values: memoryview, common: int) -> bool:
    return any(value != common for value in values)


def _average(luma: bytes, width: int, area: tuple[int, int, int, int], paper: int) -> bytes:
    """Return the mean of each square; what is outside the area counts as background."""
    left, top, right, bottom = area
    cells = bytearray()
    for y in range(top, bottom, CELL):
        rows = range(y, min(y + CELL, bottom))
        for x in range(left, right, CELL):
            end = min(x + CELL, right)
            inside = sum(sum(luma[row * width + x : row * width + end]) for row in rows)
            outside = CELL * CELL - len(rows) * (end - x)
            cells.append((inside + outside * paper) // (CELL * CELL))
    return bytes(cells)


def _pad(one: Sketch, two: Sketch) -> tuple[Sequence[int], Sequence[int]]:
    """Return the cells of both on the larger grid."""
    across = max(count_cells(one.width), count_cells(two.width))
    down = max(count_cells(one.height), count_cells(two.height))
    return _spread(one, across, down), _spread(two, across, down)


def _spread(sketch: Sketch, across: int, down: int) -> list[int]:
    own = count_cells(sketch.width)
    spread = []
    for row in range(count_cells(sketch.height)):
        spread += [*sketch.cells[row * own : (row + 1) * own]]
        spread += [sketch.paper] * (across - own)
    return spread + [sketch.paper] * (across * down - len(spread))


def count_cells(length: int) -> int:
    """Return how many squares cover a length."""
    return -(-length // CELL)
