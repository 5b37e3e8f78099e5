"""Draw sketches from pixels."""

import sys
from collections import Counter
from typing import Final

from visual_review.imagediff.sketch import CELL, Color, Sketch, find_hue, weigh

Area = tuple[int, int, int, int]
Planes = tuple[bytes, bytes, bytes]
MOST_INK: Final = 32_767


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
            hues.append(find_hue(color[0], color[2]))
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
