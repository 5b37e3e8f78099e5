"""How much a change matters, from 0 to 1: by kind, area and contrast, never by its percentage."""

import math
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.contrast import LEGIBLE, lost_contrast
from visual_review.imagediff.changes.model import Change, ChangeKind

# What a change of the kind is worth; the area decides about the rest.
WEIGHTS: Final[dict[ChangeKind, float]] = {
    "vanished": 0.9,
    "appeared": 0.8,
    "color": 0.75,
    "moved": 0.7,
    "text": 0.55,
    "pixels": 0.55,
    "faint": 0.45,
    "resized": 0.3,
    "noise": 0.02,
}
ILLEGIBLE_WEIGHT: Final = 1.0
# A small area counts for so much of its kind.
SMALLEST: Final = 0.6
# Content that moved with its surroundings, and what is left between, is rarely a defect.
REFLOWED: Final = 0.4
# One piece that is out of place: at most so much of the image, few distances, and not far.
PIECE: Final = 0.05
FAR: Final = 32
FEW: Final = 2
SEVERAL: Final = 0.05


def rate_change(change: Change, pixels: int, *, reflowed: bool) -> float:
    """Return the severity of a change in an image of so many pixels."""
    area = math.log2(1 + change.pixels) / math.log2(1 + max(pixels, change.pixels, 1))
    weight = _weight(change) * (REFLOWED if reflowed else 1)
    return weight * (SMALLEST + (1 - SMALLEST) * area)


def are_reflowed(moves: Sequence[Change], pixels: int) -> bool:
    """Return whether content moved as a whole, rather than one piece of it out of its place."""
    area = sum(change.box.width * change.box.height for change in moves)
    steps = [max(abs(each.moved_by.x), abs(each.moved_by.y)) for each in moves if each.moved_by]
    return len(moves) > FEW or area > PIECE * pixels or max(steps, default=0) > FAR


def rate_all(severities: Sequence[float]) -> float:
    """Return the severity of a screenshot: that of its worst change, and a little for more."""
    worst = max(severities, default=0.0)
    return worst + (1 - worst) * SEVERAL * (1 - 1 / max(1, len(severities)))


def _weight(change: Change) -> float:
    if change.contrast and lost_contrast(*change.contrast) and change.contrast[1] < LEGIBLE:
        return ILLEGIBLE_WEIGHT
    return WEIGHTS[change.kind]
