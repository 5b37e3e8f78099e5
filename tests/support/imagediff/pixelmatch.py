"""Results of pixelmatch 7.2 and pngjs 7 in Node for files."""

import hashlib
import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scripts.setup_node import PIXELMATCH, node_environment
from scripts.setup_tools import find_node

from visual_review.imagediff import DEFAULT_LIMITS, Options
from visual_review.imagediff.port import Engine

SCRIPT = PIXELMATCH.folder / "oracle.mjs"
SETTINGS = [
    Options(threshold, include) for threshold in (0.0, 0.1, 0.3) for include in (False, True)
]
# The count of different pixels, and the start of the digest of the mask.
Answer = list[Any]


def ask_pixelmatch(
    pairs: Sequence[tuple[Path, Path]], settings: Sequence[Options] = SETTINGS
) -> list[list[Answer] | None]:
    """Return an answer for each setting of each pair, None where the sizes differ."""
    described = [
        {"threshold": each.threshold, "includeAA": each.include_anti_aliased} for each in settings
    ]
    return _ask(
        [
            {"before": str(before), "after": str(after), "settings": described}
            for before, after in pairs
        ]
    )


def ask_pngjs(paths: Sequence[Path]) -> list[str]:
    """Return the digest of size and pixels of each file."""
    return _ask([{"path": str(path)} for path in paths])


def answer_by(
    engine: Engine, before: bytes, after: bytes, settings: Sequence[Options] = SETTINGS
) -> list[Answer]:
    """Return an engine's answers in place of pixelmatch's."""
    marks = [engine.mark(before, after, options, DEFAULT_LIMITS) for options in settings]
    return [[each.counts.different, hashlib.sha256(each.mask).hexdigest()[:16]] for each in marks]


def _ask(questions: list[dict[str, Any]]) -> list[Any]:
    node = find_node()
    run = subprocess.run(
        [node / "node", SCRIPT],
        input="\n".join(json.dumps(question) for question in questions),
        capture_output=True,
        text=True,
        check=True,
        env=node_environment(node),
    )
    return [json.loads(line) for line in run.stdout.splitlines()]


Pixel = tuple[int, int, int, int]
PixelRows = list[list[Pixel]]
Point = tuple[int, int]


# Values of a mask: pixels that pixelmatch leaves unchanged, counts, and draws as anti-aliased. The
# last value is for colors that differ by no more than the threshold; pixelmatch leaves them
# unchanged, too.
SAME, DIFFERENT, ANTI_ALIASED, SLIGHT = range(4)


def mark_differences(
    one: PixelRows, two: PixelRows, threshold: float, *, include_anti_aliased: bool
) -> bytes:
    """Return the mask, a byte for each pixel."""
    allowed = 35215 * threshold * threshold
    mask = bytearray()
    for y, (row_one, row_two) in enumerate(zip(one, two, strict=True)):
        for x, (pixel_one, pixel_two) in enumerate(zip(row_one, row_two, strict=True)):
            if pixel_one == pixel_two:
                mask.append(SAME)
                continue
            index = y * len(row_one) + x
            if _distance(pixel_one, pixel_two, index) <= allowed:
                mask.append(SLIGHT)
                continue
            smooth = not include_anti_aliased and (
                _is_smooth(one, two, (x, y)) or _is_smooth(two, one, (x, y))
            )
            mask.append(ANTI_ALIASED if smooth else DIFFERENT)
    return bytes(mask)


def as_rows(pixels: npt.NDArray[np.uint8]) -> PixelRows:
    return [[(r, g, b, a) for r, g, b, a in row] for row in pixels.tolist()]


def _subtract_colors(one: Pixel, two: Pixel, index: int) -> tuple[float, float, float]:
    """Subtract colors, each blended with the pattern behind transparent pixels."""
    if one[3] == two[3] == 255:
        return one[0] - two[0], one[1] - two[1], one[2] - two[2]
    byte = 4 * index
    pattern = (
        48,
        207 if int(byte / 1.618033988749895) % 2 else 48,
        207 if int(byte / 2.618033988749895) % 2 else 48,
    )
    red, green, blue = (
        (one[c] * one[3] - two[c] * two[3] - pattern[c] * (one[3] - two[3])) / 255 for c in range(3)
    )
    return red, green, blue


def _luma(color: tuple[float, float, float]) -> float:
    return color[0] * 0.29889531 + color[1] * 0.58662247 + color[2] * 0.11448223


def _distance(one: Pixel, two: Pixel, index: int) -> float:
    red, green, blue = color = _subtract_colors(one, two, index)
    y = _luma(color)
    i = red * 0.59597799 - green * 0.27417610 - blue * 0.32180189
    q = red * 0.21147017 - green * 0.52261711 + blue * 0.31114694
    return 0.5053 * y * y + 0.299 * i * i + 0.1957 * q * q


def _neighbors(image: PixelRows, at: Point) -> Iterator[Point]:
    for x in range(at[0] - 1, at[0] + 2):
        for y in range(at[1] - 1, at[1] + 2):
            if (x, y) != at and 0 <= y < len(image) and 0 <= x < len(image[0]):
                yield x, y


def _edge(image: PixelRows, at: Point) -> int:
    return int(at[0] in (0, len(image[0]) - 1) or at[1] in (0, len(image) - 1))


def _is_smooth(image: PixelRows, other: PixelRows, at: Point) -> bool:
    x, y = at
    center = image[y][x]
    index = y * len(image[0]) + x
    equal = _edge(image, at)
    darkest, brightest = (0.0, at), (0.0, at)
    for near in _neighbors(image, at):
        pixel = image[near[1]][near[0]]
        delta = 0.0 if pixel == center else _luma(_subtract_colors(center, pixel, index))
        equal += delta == 0
        if delta < darkest[0]:
            darkest = delta, near
        elif delta > brightest[0]:
            brightest = delta, near
    if equal > 2 or darkest[0] == 0 or brightest[0] == 0:
        return False
    return any(
        _is_flat(image, point) and _is_flat(other, point) for _, point in (darkest, brightest)
    )


def _is_flat(image: PixelRows, at: Point) -> bool:
    color = image[at[1]][at[0]]
    same = sum(image[y][x] == color for x, y in _neighbors(image, at))
    return same + _edge(image, at) > 2
