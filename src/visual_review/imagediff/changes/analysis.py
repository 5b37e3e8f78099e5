"""Find the changes between two compared images."""

import math
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.areas import (
    count_marks,
    find_areas,
    find_faint_areas,
    find_scrollbar,
)
from visual_review.imagediff.changes.boxes import enclose
from visual_review.imagediff.changes.kinds import (
    LEGIBLE_IF_LARGE,
    OPAQUE,
    is_large,
    is_text,
    lost_contrast,
    measure_contrast,
    name_color,
)
from visual_review.imagediff.changes.model import (
    CHANGE_KINDS,
    NOTHING_CHANGED,
    Analysis,
    Change,
    Offset,
)
from visual_review.imagediff.changes.parts import make_signature
from visual_review.imagediff.changes.shapes import Area
from visual_review.imagediff.changes.wording import (
    choose_colors,
    describe_area,
    describe_move,
    describe_resize,
    summarize,
)
from visual_review.imagediff.features import SideFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import Marks, Move

ILLEGIBLE_WEIGHT: Final = 1.0
# A small area counts for so much of its kind.
SMALLEST: Final = 0.6
# Content moved with its surroundings, and the pieces left between, are rarely a defect.
REFLOWED: Final = 0.4
# One piece out of place: at most so much of the image, few distances, and not far.
PIECE: Final = 0.05
FAR: Final = 32
FEW: Final = 2
SEVERAL: Final = 0.05
DIFFERENT: Final = 1
# Boxes with so much of the box around them count as all of it.
COVERED: Final = 0.8
MOST_CHANGES: Final = 50


def analyze(marks: Marks) -> Analysis:
    """Return the changes; costs nothing where no pixel differs."""
    counts, faint = marks.counts, marks.pair.find_faint()
    if not counts.different and not faint.pixels:
        return NOTHING_CHANGED
    alignment = marks.pair.align()
    scrollbar = find_scrollbar(marks)
    areas = find_areas(marks, alignment, scrollbar)
    faint_areas = find_faint_areas(marks, alignment, areas)
    pixels = marks.width * marks.height
    moved = list_moves(marks, alignment.moves)
    found = [
        *((_describe(area, area.features.change.ones), area.reflowed) for area in areas),
        *((_describe(each.area, each.pixels), each.area.reflowed) for each in faint_areas),
        *((change, are_reflowed(moved, pixels)) for change in moved),
        *((change, False) for change in list_resizes(marks, alignment.moves)),
    ]
    rated = sorted(
        ((rate_change(change, pixels, reflowed=reflowed), change) for change, reflowed in found),
        key=_by_severity,
    )
    changes = tuple(change for _, change in rated[:MOST_CHANGES])
    return Analysis(
        kind=changes[0].kind if changes else None,
        summary=summarize(changes, marks.after),
        changes=changes,
        aligned_pixels=alignment.pixels,
        aligned_ratio=alignment.pixels / counts.compared,
        faint_pixels=sum(each.pixels for each in faint_areas),
        is_faintly_changed=bool(faint_areas),
        severity=rate_all([severity for severity, _ in rated]),
        signature=make_signature(marks, alignment, changes, scrollbar),
    )


def _by_severity(rated: tuple[float, Change]) -> tuple[float, int, int]:
    severity, change = rated
    return -severity, change.box.y, change.box.x


def _describe(area: Area, pixels: int) -> Change:
    features = area.features
    colors, contrast = None, _contrast(area)
    if area.kind in ("color", "faint"):
        old, new = choose_colors(features)
        colors = name_color(old), name_color(new)
    return Change(
        area.kind,
        area.box,
        pixels,
        describe_area(area, contrast),
        colors=colors,
        contrast=contrast,
    )


def _contrast(area: Area) -> tuple[float, float] | None:
    sides = area.features.before, area.features.after
    if not all(is_text(side, area.box.width) and _is_opaque(side) for side in sides):
        return None
    before, after = (round(measure_contrast(side.main, side.ink), 2) for side in sides)
    if lost_contrast(before, after) and after >= LEGIBLE_IF_LARGE and all(map(is_large, sides)):
        return None
    return before, after


def _is_opaque(side: SideFeatures) -> bool:
    return side.main >> 24 == side.ink >> 24 == OPAQUE


def list_moves(marks: Marks, moves: Sequence[Move]) -> list[Change]:
    """Return a change for each distance of moved content."""
    targets: dict[Offset, list[Box]] = {}
    for move in moves:
        targets.setdefault(Offset(move.dx, move.dy), []).append(move.target)
    boxes = {offset: enclose(found) for offset, found in targets.items()}
    if len(targets) == 1:
        ((offset, found),) = targets.items()
        boxes[offset] = _extend(marks, offset, found)
    return [_moved(marks, offset, box) for offset, box in boxes.items()]


def list_resizes(marks: Marks, moves: Sequence[Move]) -> list[Change]:
    """Return a change for each strip that only one image has."""
    (old_width, old_height), (width, height) = marks.before, marks.after
    found = []
    if old_height != height:
        low, high = sorted((old_height, height))
        strip = Box(0, low, marks.width, high - low)
        at_end = not any(move.dy for move in moves)
        found.append(_resized(marks, strip, describe_resize("y", height - old_height, at_end)))
    if old_width != width:
        low, high = sorted((old_width, width))
        strip = Box(low, 0, high - low, min(old_height, height))
        at_end = not any(move.dx for move in moves)
        found.append(_resized(marks, strip, describe_resize("x", width - old_width, at_end)))
    return found


def _moved(marks: Marks, offset: Offset, box: Box) -> Change:
    pixels = count_marks(marks, box, DIFFERENT)
    return Change("moved", box, pixels, describe_move(offset), moved_by=offset)


def _extend(marks: Marks, offset: Offset, targets: Sequence[Box]) -> Box:
    """Return the box around content moved up or down, with the space below if empty."""
    box = enclose(targets)
    covered = sum(target.width * target.height for target in targets)
    if offset.x or covered < COVERED * box.width * box.height:
        return box
    width, height = marks.after
    right, bottom = box.x + box.width, box.y + box.height
    rest = (
        Box(0, box.y, box.x, box.height),
        Box(right, box.y, width - right, box.height),
        Box(0, bottom, width, height - bottom),
    )
    if all(_is_flat(marks, each) for each in rest):
        return Box(0, box.y, width, height - box.y)
    return box


def _is_flat(marks: Marks, box: Box) -> bool:
    if box.width <= 0 or box.height <= 0:
        return True
    return marks.pair.measure(marks.mask, box).after.inked == 0


def _resized(marks: Marks, strip: Box, description: str) -> Change:
    return Change("resized", strip, count_marks(marks, strip, DIFFERENT), description)


def rate_change(change: Change, pixels: int, *, reflowed: bool) -> float:
    """Return the severity of a change in an image of so many pixels."""
    area = math.log2(1 + change.pixels) / math.log2(1 + max(pixels, change.pixels, 1))
    weight = _weight(change) * (REFLOWED if reflowed else 1)
    return weight * (SMALLEST + (1 - SMALLEST) * area)


def are_reflowed(moves: Sequence[Change], pixels: int) -> bool:
    """Return whether content moved as a whole, rather than one piece out of its place."""
    area = sum(change.box.width * change.box.height for change in moves)
    steps = [max(abs(each.moved_by.x), abs(each.moved_by.y)) for each in moves if each.moved_by]
    return len(moves) > FEW or area > PIECE * pixels or max(steps, default=0) > FAR


def rate_all(severities: Sequence[float]) -> float:
    """Return the severity of a screenshot: its worst change's, and a little for more changes."""
    worst = max(severities, default=0.0)
    return worst + (1 - worst) * SEVERAL * (1 - 1 / max(1, len(severities)))


def _weight(change: Change) -> float:
    if change.contrast and lost_contrast(*change.contrast):
        return ILLEGIBLE_WEIGHT
    return CHANGE_KINDS[change.kind].severity
