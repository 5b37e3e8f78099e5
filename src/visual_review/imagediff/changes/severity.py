"""How much a change matters, from 0 to 1: by kind, area and contrast, never by its percentage."""

import math
from collections.abc import Sequence
from typing import Final

from visual_review.imagediff.changes.contrast import lost_contrast
from visual_review.imagediff.changes.model import Change, ChangeKind

# What a change of the kind is worth; the area decides about the other half.
WEIGHTS: Final[dict[ChangeKind, float]] = {
    "vanished": 0.9,
    "appeared": 0.8,
    "pixels": 0.7,
    "color": 0.7,
    "text": 0.6,
    "faint": 0.45,
    "resized": 0.35,
    "moved": 0.3,
    "noise": 0.02,
}
ILLEGIBLE_WEIGHT: Final = 1.0
# A small area counts for so much of its kind.
SMALLEST: Final = 0.5
SEVERAL: Final = 0.05


def rate_change(change: Change, pixels: int) -> float:
    """Return the severity of a change in an image of so many pixels."""
    area = math.log2(1 + change.pixels) / math.log2(1 + max(pixels, change.pixels, 1))
    return _weight(change) * (SMALLEST + (1 - SMALLEST) * area)


def rate_all(severities: Sequence[float]) -> float:
    """Return the severity of a screenshot: that of its worst change, and a little for more."""
    worst = max(severities, default=0.0)
    return worst + (1 - worst) * SEVERAL * (1 - 1 / max(1, len(severities)))


def _weight(change: Change) -> float:
    if change.kind == "color" and change.contrast and lost_contrast(*change.contrast):
        return ILLEGIBLE_WEIGHT
    return WEIGHTS[change.kind]
