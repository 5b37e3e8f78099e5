"""Name the shared cause of a group's screenshots, in about five words, without coordinates."""

import re
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.causes import (
    MOVED,
    Cause,
    ChangedScreenshot,
    colors_of,
)
from visual_review.imagediff.changes.model import Displacement, Part
from visual_review.imagediff.changes.wording import FAINT_PREFIX, describe_move
from visual_review.imagediff.model import Box

# A header begins near the top, ends in these rows, and is about as wide as the page.
HEADER: Final = 200
MOST: Final = 0.8
SEVERAL: Final = 3
SIZE: Final = re.compile(r"( in)? \d+x\d+")
PLACE: Final = re.compile(r" (at \d[\d,]*|below y=\d[\d,]*)( and \d[\d,]* more places?)?")


def name_cause(members: Sequence[ChangedScreenshot], causes: frozenset[Cause]) -> str:
    """Return such as "Header taller by 16 px" or "#0b6e4f is now #7a1f5c"."""
    shot = min(members, key=lambda each: each.key)
    moves = shot.analysis.signature.moves
    if MOVED in causes and moves:
        return _name_move(shot, max(moves, key=_area))
    parts = sorted(shot.analysis.signature.parts or (), key=lambda part: _size(part.box))
    recolored = [part for part in parts if colors_of(part) in causes]
    if recolored and recolored[-1].recolored:
        return "{} is now {}".format(*recolored[-1].recolored)
    if not parts:
        return "Another size"
    return _name_part(shot, parts[-1])


def name_summary(summary: str) -> str:
    """Return the beginning of a sentence, without size and place."""
    what = PLACE.sub("", SIZE.sub("", summary.removeprefix(FAINT_PREFIX).partition("; ")[0]))
    return what[:1].upper() + what[1:]


def _name_move(shot: ChangedScreenshot, move: Displacement) -> str:
    width, height = shot.after
    box, offset = move.box, move.offset
    source = box.y - offset.y
    is_page = box.width >= MOST * width and box.y + box.height >= MOST * height
    if is_page and not offset.x and 0 < source <= HEADER:
        return f"Header {'taller' if offset.y > 0 else 'shorter'} by {abs(offset.y):,} px"
    return f"Content {describe_move(offset)}"


def _name_part(shot: ChangedScreenshot, part: Part) -> str:
    first = part.what.removeprefix(FAINT_PREFIX).partition(", ")[0]
    what = SIZE.sub("", first.partition(" in ")[0])
    before, is_colors, after = what.partition(" to ")
    name = f"{before} is now {after}" if is_colors else what[:1].upper() + what[1:]
    box = part.box
    # An image hardly higher than the box is no page.
    is_page = SEVERAL * (box.y + box.height) <= shot.after[1]
    is_header = is_page and box.y + box.height <= HEADER and box.width >= MOST * shot.after[0]
    return f"{name} in the header" if is_header else name


def _area(move: Displacement) -> int:
    return _size(move.box)


def _size(box: Box) -> int:
    return box.width * box.height
