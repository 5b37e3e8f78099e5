"""Find the changes between two compared images."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from visual_review.imagediff.changes.boxes import (
    Offsets,
    count_bytes,
    enclose,
    grow,
    is_inside,
    overlap,
    shift,
)
from visual_review.imagediff.changes.kinds import (
    LEGIBLE_IF_LARGE,
    OPAQUE,
    decide_kind,
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
    ChangeKind,
    Offset,
)
from visual_review.imagediff.changes.numbers import is_number
from visual_review.imagediff.changes.parts import make_signature
from visual_review.imagediff.changes.shapes import Area, join_corners, refine_kind
from visual_review.imagediff.changes.wording import (
    choose_colors,
    describe_area,
    describe_move,
    describe_resize,
    summarize,
)
from visual_review.imagediff.features import AreaFeatures, SideFeatures
from visual_review.imagediff.model import Box
from visual_review.imagediff.port import SIDES, Alignment, Marks, Move, describe_areas

# The areas of a pair with differences once moved content is in its new place.
#
# Content moved and changed at once leaves pieces that look like vanished or new content. Next to
# moved content, a piece counts as vanished or new only in one clear case: one block of rows or
# columns was inserted or removed, and everything after the block moved by the same distance.

FAINT: Final = 4
# Faint pixels of moved content, or within another change, are no change of their own.
HIDDEN: Final = 0.5
# The surroundings, to see whether an area moved with its neighbors.
RING: Final = 8
RING_SHARE: Final = 0.6
# Pieces of moved content are so near to the content.
NEAR: Final = 16
MOSTLY_MOVED: Final = 0.9
# Chromium's scrollbar: its track is visible at both edges, however long the thumb is.
SCROLLBAR_WIDTH: Final = 15
TRACK: Final = 0.6
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


def find_areas(
    marks: Marks, alignment: Alignment, scrollbar: Box | None = None
) -> tuple[Area, ...]:
    """Measure the areas in both images; an area in only one is a matter of the sizes."""
    shared = Box(0, 0, *(min(sides) for sides in zip(marks.before, marks.after, strict=True)))
    found = [
        measure_scrollbar(marks, alignment, box)
        if is_inside(box, scrollbar)
        else measure_area(marks, alignment, box, find_offset(box, alignment.moves))
        for box in alignment.boxes
        if overlap(box, shared)
    ]
    return join_corners(
        marks, alignment, [area for area in found if not _is_explained(area, found)]
    )


def measure_scrollbar(marks: Marks, alignment: Alignment, box: Box) -> Area:
    features = marks.pair.measure(alignment.mask, box)
    return Area(box, (0, 0), features, "scrollbar", reflowed=False)


def measure_area(marks: Marks, alignment: Alignment, box: Box, offset: Offsets) -> Area:
    features = marks.pair.measure(alignment.mask, box, offset)
    kind, moves = decide_kind(features, box.width), alignment.moves
    reflowed = is_near_moves(box, offset, moves)
    if reflowed:
        kind = decide_near_moves(kind, features, box, moves)
    kind = refine_kind(marks, alignment, kind, features, box)
    number = kind == "text" and offset == (0, 0)
    number = number and all(is_number(marks, side, box) for side in SIDES)
    return Area(box, offset, features, kind, reflowed, number)


def find_scrollbar(marks: Marks) -> Box | None:
    """Return the scrollbar of the page, if both images have one at the right edge."""
    width, height = marks.after
    left = width - SCROLLBAR_WIDTH
    if marks.before != marks.after or left <= SCROLLBAR_WIDTH:
        return None
    for side in SIDES:
        inner, first, last = (
            marks.pair.crop(side, Box(x, 0, 1, height)) for x in (left - 1, left, width - 1)
        )
        if first != last or first != first[:4] * height:
            return None
        pixels = memoryview(inner).cast("I").tolist()
        # A page without a scrollbar may end in one color as well, and continue in the same one.
        if pixels.count(memoryview(first).cast("I")[0]) > (1 - TRACK) * height:
            return None
    return Box(left, 0, SCROLLBAR_WIDTH, height)


def _is_explained(area: Area, others: Sequence[Area]) -> bool:
    """Return whether the lost content of an area was replaced within moved content."""
    change = area.features.change
    if change.ones or change.threes or not change.twos:
        return False
    return any(
        other.offset != (0, 0)
        and other is not area
        and overlap(shift(area.box, other.offset), other.box) * 2
        >= area.box.width * area.box.height
        for other in others
    )


def find_offset(box: Box, moves: Sequence[Move]) -> Offsets:
    """Return how far the surroundings of a box moved, if most of them moved alike."""
    outer = grow(box, RING)
    ring = outer.width * outer.height - box.width * box.height
    covered: dict[Offsets, int] = {}
    for move in moves:
        inner = overlap(move.target, outer) - overlap(move.target, box)
        covered[move.dx, move.dy] = covered.get((move.dx, move.dy), 0) + inner
    best = max(covered, key=lambda offset: (covered[offset], offset), default=(0, 0))
    return best if covered.get(best, 0) >= RING_SHARE * ring else (0, 0)


def is_near_moves(box: Box, offset: Offsets, moves: Sequence[Move]) -> bool:
    """Return whether content next to a box moved, and otherwise than the box itself."""
    outer = grow(box, NEAR)
    return any(
        (move.dx, move.dy) != offset
        and (overlap(move.target, outer) or overlap(source_of(move), outer))
        for move in moves
    )


def decide_near_moves(
    kind: ChangeKind, features: AreaFeatures, box: Box, moves: Sequence[Move]
) -> ChangeKind:
    """Return the kind of an area next to moved content."""
    if len({(move.dx, move.dy) for move in moves}) == 1:
        size = MOSTLY_MOVED * box.width * box.height
        came = sum(overlap(box, move.target) for move in moves)
        left = sum(overlap(box, source_of(move)) for move in moves)
        change = features.change
        if left >= size and not came and not change.twos and not change.threes:
            return "appeared"
        if came >= size and not left and not change.ones and not change.threes:
            return "vanished"
    return "pixels" if kind in ("vanished", "appeared") else kind


def source_of(move: Move) -> Box:
    """Return where moved content was."""
    return shift(move.target, (-move.dx, -move.dy))


@dataclass(frozen=True, slots=True)
class FaintArea:
    """An area of faint pixels, large enough to be seen."""

    area: Area
    pixels: int


def find_faint_areas(
    marks: Marks, alignment: Alignment, areas: Sequence[Area]
) -> tuple[FaintArea, ...]:
    """Return the large faint areas and the strokes without another explanation."""
    size = marks.width, marks.height
    moves = alignment.moves
    covers = [area.box for area in areas]
    covers += [move.target for move in moves] + [source_of(move) for move in moves]
    found = []
    faint = marks.pair.find_faint()
    for box in faint.boxes:
        hidden = sum(overlap(box, cover) for cover in covers)
        pixels = count_marks(marks, box, FAINT)
        if (
            hidden < HIDDEN * box.width * box.height
            and describe_areas(pixels, (box,), size).is_large
        ):
            features = marks.pair.measure(marks.mask, box)
            reflowed = is_near_moves(box, (0, 0), moves)
            found.append(FaintArea(Area(box, (0, 0), features, "faint", reflowed), pixels))
    for box in faint.strokes:
        if sum(overlap(box, cover) for cover in covers) < HIDDEN * box.width * box.height:
            features = marks.pair.measure(marks.mask, box)
            area = Area(box, (0, 0), features, "text", is_near_moves(box, (0, 0), moves))
            found.append(FaintArea(area, count_marks(marks, box, FAINT)))
    return tuple(found)


def count_marks(marks: Marks, box: Box, mark: int) -> int:
    """Return how many pixels of a box have the mark in the mask."""
    return count_bytes(marks.mask, marks.width, box, mark)


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
