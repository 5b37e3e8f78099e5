"""Choose the outlines of a panel, and their colors: small, moved and faint changes; pure."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from visual_review.imagediff.changes.model import CHANGE_KINDS, Change, Offset
from visual_review.imagediff.model import Box
from visual_review.imagediff.rendering.labels import Color

PanelSide = Literal["before", "after", "diff", "amplified"]

SMALL_COLOR: Final[Color] = (228, 0, 136)
MOVED_COLOR: Final[Color] = (0, 98, 206)
FAINT_COLOR: Final[Color] = (0, 134, 122)
# A change shown smaller, on its longer side or on its shorter one, is easily missed.
SMALL: Final = 12
THIN: Final = 3
# An outline around most of a panel would say nothing.
LARGEST_SHARE: Final = 0.7
# Between a change and its outline, so the outline hides nothing; and the width of the outline.
DISTANCE: Final = 5
STROKE: Final = 4


@dataclass(frozen=True, slots=True)
class Outline:
    """A rectangle around a change, in pixels of a panel, possibly beyond the panel's edges.

    The label is in a corner if ``inside``, otherwise on the upper edge.
    """

    box: Box
    color: Color
    label: str = ""
    inside: bool = False


def outline_changes(
    boxes: Sequence[Box],
    changes: Sequence[Change],
    side: PanelSide,
    crop: Box,
    scale: float,
    *,
    large_ones: bool = False,
) -> list[Outline]:
    """Return the outlines of a panel with ``crop`` at the given scale.

    ``boxes`` are the changes by more than the threshold; known ``changes`` count instead. Small
    changes are outlined. With ``large_ones``, for panels without a difference next to them, so are
    all changes with room around them; of moved content, one sample next to other changes. A changed
    frame is easily missed at any size, so always outlined.
    """
    frames = [change.box for change in changes if CHANGE_KINDS[change.kind].is_frame]
    if changes:
        boxes = [change.box for change in changes if change.kind not in {"moved", "faint"}]
    near = [box for box in boxes if meet(box, crop)]
    wanted = _join(
        _show(box, crop, scale)
        for box in near
        if large_ones or box in frames or is_easily_missed(box, scale)
    )
    most = (LARGEST_SHARE if large_ones else math.inf) * crop.width * crop.height * scale**2
    shown = [_grow(_show(box, crop, scale)) for box in frames]
    found = [
        Outline(box, SMALL_COLOR)
        for box in wanted
        if box.width * box.height <= most or box in shown
    ]
    faint = [change.box for change in changes if change.kind == "faint"]
    found += [
        Outline(_grow(_show(box, crop, scale)), FAINT_COLOR, "faint")
        for box in faint
        if meet(box, crop)
    ]
    # In the difference, moved content has a color of its own.
    if side == "diff":
        return found
    moved = _outline_moved(changes, side, crop, scale)
    is_sample = large_ones and any(change.kind != "moved" for change in changes)
    return found + (_take_sample(moved) if is_sample else moved)


def _take_sample(moved: Sequence[Outline]) -> list[Outline]:
    more = f", {len(moved) - 1} more moved" if len(moved) > 1 else ""
    return [replace(first, label=f"{first.label}{more}") for first in moved[:1]]


def show_changes(changes: Sequence[Change], crop: Box, scale: float) -> list[Box]:
    """Return the boxes of a panel that no label may cover."""
    boxes = [change.box for change in changes if change.kind != "moved"]
    return [_show(box, crop, scale) for box in boxes if meet(box, crop)]


def _outline_moved(
    changes: Sequence[Change], side: PanelSide, crop: Box, scale: float
) -> list[Outline]:
    others = [change.box for change in changes if change.kind != "moved"]
    found = []
    for change in changes:
        if change.kind != "moved" or change.moved_by is None or _is_within(change.box, others):
            continue
        box = change.box if side == "after" else find_source(change.box, change.moved_by)
        if meet(box, crop):
            # No distance: the pixels next to moved content may be new.
            shown, label = _show(box, crop, scale), describe_move(change.moved_by)
            found.append(Outline(_grow(shown, STROKE), MOVED_COLOR, label, inside=True))
    return found


def _is_within(box: Box, others: Sequence[Box]) -> bool:
    """Whether another change covers most of the box: if all is new, moves explain nothing."""
    most = max((_count_shared(box, other) for other in others), default=0)
    return 2 * most > box.width * box.height


def find_source(box: Box, moved_by: Offset) -> Box:
    """Return the earlier place of the content in ``box``."""
    return Box(box.x - moved_by.x, box.y - moved_by.y, box.width, box.height)


def describe_move(moved_by: Offset) -> str:
    parts = []
    if moved_by.x:
        parts.append(f"{'right' if moved_by.x > 0 else 'left'} {abs(moved_by.x)} px")
    if moved_by.y:
        parts.append(f"{'down' if moved_by.y > 0 else 'up'} {abs(moved_by.y)} px")
    return f"moved {' and '.join(parts)}"


def is_easily_missed(box: Box, scale: float) -> bool:
    """Whether a change is easily missed at the given scale."""
    shorter, longer = sorted((box.width * scale, box.height * scale))
    return longer < SMALL or shorter < THIN


def _show(box: Box, crop: Box, scale: float) -> Box:
    """Return where a box of the images is in a panel."""
    left, top = int((box.x - crop.x) * scale), int((box.y - crop.y) * scale)
    right = -int(-(box.x + box.width - crop.x) * scale // 1)
    bottom = -int(-(box.y + box.height - crop.y) * scale // 1)
    return Box(left, top, max(1, right - left), max(1, bottom - top))


def _join(boxes: Iterable[Box]) -> list[Box]:
    """Return outlines around boxes; one around several where theirs would cross each other."""
    joined: list[Box] = []
    for each in boxes:
        box = _grow(each)
        while near := [other for other in joined if meet(other, box)]:
            joined = [other for other in joined if other not in near]
            box = enclose([box, *near])
        joined.append(box)
    return joined


def enclose(boxes: Sequence[Box]) -> Box:
    """Return the box around all of the boxes."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


def _grow(box: Box, by: int = DISTANCE + STROKE) -> Box:
    return Box(box.x - by, box.y - by, box.width + 2 * by, box.height + 2 * by)


def meet(one: Box, two: Box) -> bool:
    """Whether any pixel is in both."""
    return _count_shared(one, two) > 0


def contains(crop: Box, box: Box) -> bool:
    """Whether all of the box is within the crop."""
    return (
        crop.x <= box.x
        and crop.y <= box.y
        and box.x + box.width <= crop.x + crop.width
        and box.y + box.height <= crop.y + crop.height
    )


def _count_shared(one: Box, two: Box) -> int:
    """Return how many pixels are in both."""
    across = min(one.x + one.width, two.x + two.width) - max(one.x, two.x)
    down = min(one.y + one.height, two.y + two.height) - max(one.y, two.y)
    return max(0, across) * max(0, down)
