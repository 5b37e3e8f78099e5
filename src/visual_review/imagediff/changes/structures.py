"""Whether a story changed in the same way in two themes: the same shapes in other colors."""

import base64
import math
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeVar

from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Element, Marks, Outline, Side

T = TypeVar("T")

# Text is at least two strokes high; a thinner shape is the end of a line.
THIN: Final = 2
MOST_PIXELS, MOST_BYTES = 700_000, 1_600
# The rows next to changed rows are equal, even where a shape is truncated.
MARGIN: Final = 32
SHAPE, LINE = struct.Struct("<HHHHBBBHHHHb"), struct.Struct("<HHHH")
HEAD: Final = struct.Struct("<HHHH")
TOP: Final = 255
# How much rounding changes a box, sixteenths of a pixel, ink (of 255), and colors.
PLACE_SLACK, PART_SLACK, COVER_SLACK = 1, 4, 5
COLOR_SLACK, HUE_SLACK = 6, 6
PARTS, MOST_PARTS = 16, 65_535
FULL_HUE: Final = 127


@dataclass(frozen=True, slots=True)
class Shape:
    """An element."""

    x: int
    y: int
    width: int
    height: int
    paper: int
    contrast: int
    # How much ink of its contrast the element has.
    cover: int
    # The center of the ink: column and row of the box, in sixteenths of a pixel.
    middle: int
    center: int
    # The standard deviation of the ink, in sixteenths of a pixel.
    spread_x: int
    spread_y: int
    # How colored the ink is.
    hue: int


@dataclass(frozen=True, slots=True)
class Structure:
    """Shapes and lines of only the earlier or only the later image."""

    lost: tuple[Shape, ...]
    new: tuple[Shape, ...]
    lost_lines: tuple[Box, ...]
    new_lines: tuple[Box, ...]


def describe_structure(marks: Marks) -> str:
    """Return the changed shapes as a string, empty for many shapes or none."""
    if not marks.boxes:
        return ""
    bands = _find_bands(marks.boxes)
    if sum(bottom - top for top, bottom in bands) * marks.width > MOST_PIXELS:
        return ""
    sides: tuple[tuple[Side, int], ...] = (("before", marks.before[1]), ("after", marks.after[1]))
    outlines = [
        _join(
            marks.pair.outline(side, min(top, height), min(bottom, height)) for top, bottom in bands
        )
        for side, height in sides
    ]
    if outlines[0] is None or outlines[1] is None:
        return ""
    found = find_structure(outlines[0], outlines[1])
    if not (found.lost or found.new):
        return ""
    data = zlib.compress(_write(found), 9)
    return base64.b85encode(data).decode() if len(data) <= MOST_BYTES else ""


def _find_bands(boxes: Sequence[Box]) -> list[tuple[int, int]]:
    """Return first and last rows of the changes, with a margin; bands do not touch."""
    bands: list[tuple[int, int]] = []
    for box in sorted(boxes, key=lambda each: each.y):
        top, bottom = max(0, box.y - MARGIN), box.y + box.height + MARGIN
        if bands and top <= bands[-1][1]:
            bands[-1] = (bands[-1][0], max(bottom, bands[-1][1]))
        else:
            bands.append((top, bottom))
    return bands


def _join(outlines: Iterable[Outline | None]) -> Outline | None:
    elements: list[Element] = []
    edges: list[Box] = []
    for outline in outlines:
        if outline is None:
            return None
        elements += outline.elements
        edges += outline.edges
    return Outline(tuple(elements), tuple(edges))


def find_structure(before: Outline, after: Outline) -> Structure:
    """Return the parts of one outline missing in the other."""
    (old, old_lines), (new, new_lines) = (_split(outline) for outline in (before, after))
    return Structure(
        *(_without(old, new), _without(new, old)),
        *(_without(old_lines, new_lines), _without(new_lines, old_lines)),
    )


def changed_alike(one: str, two: str) -> bool:
    """Return whether two themes of a story, of the same sizes, changed in the same way.

    Each shape has to be at the same place in both, before and after. Light colors of one theme may
    be dark in the other, but elements of the same colors there have the same colors here. Lines and
    cards may be visible in one theme alone, if they were before.
    """
    if not (one and two):
        return False
    ours, theirs = read_structure(one), read_structure(two)
    old, new = _match(ours.lost, theirs.lost), _match(ours.new, theirs.new)
    if old is None or new is None or not old:
        return False
    if not all(any(_have_same_colors(pair, other) for other in old) for pair in new):
        return False
    return _count_single(ours.lost_lines, theirs.lost_lines) == _count_single(
        ours.new_lines, theirs.new_lines
    )


@lru_cache(maxsize=4096)
def read_structure(text: str) -> Structure:
    """Return the structure from the result of ``describe_structure``."""
    data = zlib.decompress(base64.b85decode(text))
    counts, at = HEAD.unpack_from(data), HEAD.size
    shapes: list[tuple[Shape, ...]] = []
    for count in counts[:2]:
        end = at + count * SHAPE.size
        shapes.append(tuple(Shape(*each) for each in SHAPE.iter_unpack(data[at:end])))
        at = end
    lines: list[tuple[Box, ...]] = []
    for count in counts[2:]:
        end = at + count * LINE.size
        lines.append(tuple(Box(*each) for each in LINE.iter_unpack(data[at:end])))
        at = end
    return Structure(shapes[0], shapes[1], lines[0], lines[1])


def _write(found: Structure) -> bytes:
    shapes, lines = (found.lost, found.new), (found.lost_lines, found.new_lines)
    return HEAD.pack(*map(len, (*shapes, *lines))) + b"".join(
        [
            *(
                SHAPE.pack(
                    *(each.x, each.y, each.width, each.height),
                    *(each.paper, each.contrast, each.cover, each.middle, each.center),
                    *(each.spread_x, each.spread_y, each.hue),
                )
                for part in shapes
                for each in part
            ),
            *(
                LINE.pack(each.x, each.y, each.width, each.height)
                for part in lines
                for each in part
            ),
        ]
    )


def _split(outline: Outline) -> tuple[tuple[Shape, ...], tuple[Box, ...]]:
    thin = [each.box for each in outline.elements if min(each.box.width, each.box.height) <= THIN]
    solid = (each for each in outline.elements if min(each.box.width, each.box.height) > THIN)
    return tuple(map(_to_shape, solid)), (*outline.edges, *thin)


def _to_shape(element: Element) -> Shape:
    box, ink = element.box, max(1, element.ink)
    full = box.width * box.height * max(1, element.contrast)
    hue = FULL_HUE * element.hue // ink
    middle, spread_x = _locate(ink, element.x_ink, element.xx_ink)
    center, spread_y = _locate(ink, element.y_ink, element.yy_ink)
    return Shape(
        *(box.x, box.y, box.width, box.height, element.paper, element.contrast),
        *(TOP * element.ink // full, middle, center, spread_x, spread_y),
        max(-FULL_HUE, min(FULL_HUE, hue)),
    )


def _locate(ink: int, first: int, second: int) -> tuple[int, int]:
    """Return mean and standard deviation in parts of a pixel, each within two bytes."""
    variance = second * ink - first * first
    spread = math.isqrt(max(0, variance) * PARTS * PARTS) // ink
    return min(MOST_PARTS, PARTS * first // ink), min(MOST_PARTS, spread)


def _without(those: Iterable[T], others: Iterable[T]) -> tuple[T, ...]:
    known = set(others)
    return tuple(each for each in those if each not in known)


def _match(
    ours: Sequence[Shape], theirs: Sequence[Shape]
) -> tuple[tuple[Shape, Shape], ...] | None:
    """Return pairs of the same place and shape, or None if one has no counterpart."""
    if len(ours) != len(theirs):
        return None
    rest, pairs = list(theirs), []
    for shape in ours:
        found = next((other for other in rest if _are_same_shape(shape, other)), None)
        if found is None:
            return None
        rest.remove(found)
        pairs.append((shape, found))
    return tuple(pairs)


def _are_same_shape(one: Shape, two: Shape) -> bool:
    places = zip(
        (one.x, one.y, one.width, one.height), (two.x, two.y, two.width, two.height), strict=True
    )
    means = (
        (one.x - two.x) * PARTS + one.middle - two.middle,
        (one.y - two.y) * PARTS + one.center - two.center,
        one.spread_x - two.spread_x,
        one.spread_y - two.spread_y,
    )
    return (
        all(abs(a - b) <= PLACE_SLACK for a, b in places)
        and all(abs(mean) <= PART_SLACK for mean in means)
        and abs(one.cover - two.cover) <= COVER_SLACK
    )


def _have_same_colors(pair: tuple[Shape, Shape], other: tuple[Shape, Shape]) -> bool:
    return all(
        abs(one.paper - two.paper) <= COLOR_SLACK
        and abs(one.contrast - two.contrast) <= COLOR_SLACK
        and abs(one.hue - two.hue) <= HUE_SLACK
        for one, two in zip(pair, other, strict=True)
    )


def _count_single(ours: Sequence[Box], theirs: Sequence[Box]) -> tuple[int, int]:
    """Return how many lines only one theme has."""
    return len(set(ours) - set(theirs)), len(set(theirs) - set(ours))
