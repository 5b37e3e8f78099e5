"""Find out what changed between two images that were compared."""

from typing import Final

from visual_review.imagediff.changes.areas import Area, find_areas
from visual_review.imagediff.changes.contrast import OPAQUE, measure_contrast, name_color
from visual_review.imagediff.changes.fading import find_faint_areas
from visual_review.imagediff.changes.kinds import is_text
from visual_review.imagediff.changes.model import NOTHING_CHANGED, Analysis, Change
from visual_review.imagediff.changes.moving import list_moves, list_resizes
from visual_review.imagediff.changes.severity import are_reflowed, rate_all, rate_change
from visual_review.imagediff.changes.signatures import make_signature
from visual_review.imagediff.changes.wording import choose_colors, describe_area, summarize
from visual_review.imagediff.features import SideFeatures
from visual_review.imagediff.port import Marks

MOST_CHANGES: Final = 50


def analyze(marks: Marks) -> Analysis:
    """Return what changed; it costs nothing where no pixel differs."""
    counts, faint = marks.counts, marks.pair.find_faint()
    if not counts.different and not faint.pixels:
        return NOTHING_CHANGED
    alignment = marks.pair.align()
    areas = find_areas(marks, alignment)
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
        signature=make_signature(marks, alignment),
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
        describe_area(area.kind, features, area.box, contrast),
        colors=colors,
        contrast=contrast,
    )


def _contrast(area: Area) -> tuple[float, float] | None:
    sides = area.features.before, area.features.after
    if not all(is_text(side, area.box.width) and _is_opaque(side) for side in sides):
        return None
    before, after = (round(measure_contrast(side.main, side.ink), 2) for side in sides)
    return before, after


def _is_opaque(side: SideFeatures) -> bool:
    return side.main >> 24 == side.ink >> 24 == OPAQUE
