"""Changed areas, and kinds visible in their shapes: borders, corners and specks of letters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.boxes import Offsets, count_bytes, enclose, grow
from visual_review.imagediff.changes.kinds import (
    SAME_COLOR,
    color_distance,
    decide_content_kind,
    is_photo,
)
from visual_review.imagediff.changes.model import ChangeKind
from visual_review.imagediff.changes.numbers import is_number
from visual_review.imagediff.features import AreaFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import SIDES, Alignment, Marks

# Smaller areas next to letters are a part of the letters.
SPECK: Final = 12
# A border is no wider, has at least so much within, and corners rounded no further.
BORDER_WIDTH, LEAST_INNER, ROUNDED = 4, 8, 8
# Of the edges of a border, nearly all came or went.
ONE_WAY: Final = 4
# Corners are no larger.
CORNER, LEAST_CORNERED = 24, 20
CORNER_SHARE: Final = 0.7
# So much of an area, other content may be where something vanished or appeared.
MOST_OTHER: Final = 0.3
# Of the edges of an image replaced by another one.
OTHER_EDGES: Final = 0.25
# A figure has such a side, and so many empty pixels around.
FIGURE: Final = range(13, 65)
ALONE: Final = 8


@dataclass(frozen=True, slots=True)
class Area:
    """An area of the later image; in the earlier one, it is ``offset`` to the left and above.

    ``reflowed``: content next to the area moved otherwise. ``is_number``: the area is within a
    number.
    """

    box: Box
    offset: Offsets
    features: AreaFeatures
    kind: ChangeKind
    reflowed: bool
    is_number: bool = False


def refine_kind(
    marks: Marks, alignment: Alignment, kind: ChangeKind, features: AreaFeatures, box: Box
) -> ChangeKind:
    """Return the kind of an area by the shape of its differences."""
    if kind == "image":
        one_side = is_photo(features.before) != is_photo(features.after)
        return kind if one_side or is_replaced(marks, alignment, features, box) else "pixels"
    if kind not in ("vanished", "appeared", "pixels", "text"):
        return kind
    if is_border(marks, alignment, features, box):
        return "border"
    if kind != "text" and has_only_corners(marks, alignment, box):
        return "corners"
    if kind == "pixels":
        is_icon = is_figure(marks, alignment, box)
        return "image" if is_icon and is_replaced(marks, alignment, features, box) else kind
    return kind if kind == "text" else _refine_one_sided(marks, kind, features, box)


def _refine_one_sided(
    marks: Marks, kind: ChangeKind, features: AreaFeatures, box: Box
) -> ChangeKind:
    """Return the kind of an area in which something vanished or appeared."""
    if max(box.width, box.height) <= SPECK and all(is_number(marks, side, box) for side in SIDES):
        return "text"
    # No person says of a single pixel that an area came or went.
    if box.width == box.height == 1:
        return "noise"
    bare = features.after if kind == "vanished" else features.before
    # Other content in the area, most of it or on another background, did not come or go.
    is_covered = color_distance(features.before.main, features.after.main) > SAME_COLOR
    most = 0 if is_covered else MOST_OTHER * bare.searched
    return kind if bare.inked <= most else decide_content_kind(features, box.width)


def is_border(marks: Marks, alignment: Alignment, features: AreaFeatures, box: Box) -> bool:
    """Return whether only a frame came or went, around the same content."""
    inner = grow(box, -BORDER_WIDTH)
    if min(inner.width, inner.height) < LEAST_INNER:
        return False
    # Small elements have smaller corners, so something within is always left to compare.
    x = min(ROUNDED, (inner.width - LEAST_INNER) // 2)
    y = min(ROUNDED, (inner.height - LEAST_INNER) // 2)
    across = Box(inner.x + x, inner.y, inner.width - 2 * x, inner.height)
    down = Box(inner.x, inner.y + y, inner.width, inner.height - 2 * y)
    lost, new = features.change.edges_lost, features.change.edges_new
    one_way = max(lost, new) >= ONE_WAY * min(lost, new)
    return one_way and not any(count_any(marks, alignment, each) for each in (across, down))


def is_replaced(marks: Marks, alignment: Alignment, features: AreaFeatures, box: Box) -> bool:
    """Return whether edges came and went in the middle of an area, as between two images."""
    change, across, down = features.change, box.width // 4, box.height // 4
    middle = Box(box.x + across, box.y + down, box.width - 2 * across, box.height - 2 * down)
    edges = OTHER_EDGES * max(change.edges_before, change.edges_after)
    is_other = change.edges_lost + change.edges_new >= edges
    return is_other and count_any(marks, alignment, middle) > 0


def is_figure(marks: Marks, alignment: Alignment, box: Box) -> bool:
    """Return whether both images show a small figure with nothing around, such as an icon."""
    if max(box.width, box.height) not in FIGURE:
        return False
    left, top = max(0, box.x - ALONE), max(0, box.y - ALONE)
    right = min(marks.width, box.x + box.width + ALONE)
    bottom = min(marks.height, box.y + box.height + ALONE)
    features = marks.pair.measure(alignment.mask, Box(left, top, right - left, bottom - top))
    return all(
        side.inked and side.background_around == side.around > 0
        for side in (features.before, features.after)
    )


def has_only_corners(marks: Marks, alignment: Alignment, box: Box) -> bool:
    """Return whether nothing between the corners of an area differs."""
    if min(box.width, box.height) < LEAST_CORNERED:
        return False
    side = min(CORNER, int(0.4 * min(box.width, box.height)))
    across = Box(box.x + side, box.y, box.width - 2 * side, box.height)
    down = Box(box.x, box.y + side, box.width, box.height - 2 * side)
    return not any(count_any(marks, alignment, each) for each in (across, down))


def join_corners(marks: Marks, alignment: Alignment, areas: Sequence[Area]) -> tuple[Area, ...]:
    """Make one area of each four corners of a rectangle."""
    corners = {(area.box.x, area.box.y): area for area in areas if _may_be_corner(area)}
    joined: list[Area] = []
    used: set[Offsets] = set()
    for (x, y), first in corners.items():
        rights = sorted(right for right, top in corners if top == y and right > x)
        belows = sorted(below for left, below in corners if left == x and below > y)
        for places in (
            {(x, y), (right, y), (x, below), (right, below)} for right in rights for below in belows
        ):
            if places <= corners.keys() - used:
                used |= places
                box = enclose(corners[place].box for place in places)
                features = marks.pair.measure(alignment.mask, box)
                joined.append(Area(box, first.offset, features, "corners", first.reflowed))
    return (*joined, *(area for area in areas if (area.box.x, area.box.y) not in used))


def _may_be_corner(area: Area) -> bool:
    """Return whether an area is small, and about as filled as between a corner and its circle."""
    box, change = area.box, area.features.change
    size = box.width * box.height
    return max(box.width, box.height) <= SPECK and change.ones <= CORNER_SHARE * size


def count_any(marks: Marks, alignment: Alignment, box: Box) -> int:
    """Return how many pixels of a box differ once moved content is in its place."""
    return box.width * box.height - count_bytes(alignment.mask, marks.width, box, 0)
