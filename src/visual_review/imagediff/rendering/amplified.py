"""Make faint changes visible: exaggerate how a part differs from the one before."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageChops

from visual_review.imagediff.changes.model import Change

# The largest faint difference becomes about this large; more would turn shades into flat colors.
VISIBLE: Final = 110
MOST: Final = 32
LEAST: Final = 2
# Larger differences in a color are visible without amplification.
FAINT: Final = 48


@dataclass(frozen=True, slots=True)
class AmplifiedImage:
    """The image before, with each difference ``factor`` times as large."""

    image: Image.Image
    factor: int

    @property
    def label(self) -> str:
        return f"Differences {self.factor} times amplified"


def amplify(before: Image.Image, after: Image.Image) -> AmplifiedImage:
    """Return ``before`` with the differences of ``after`` exaggerated, of RGB images of one size."""
    more, less = ImageChops.subtract(after, before), ImageChops.subtract(before, after)
    factor = max(LEAST, min(MOST, VISIBLE // max(_largest_faint(each) for each in (more, less))))
    table = [min(255, value * factor) for value in range(256)] * 3
    image = ImageChops.add(before, more.point(table))
    return AmplifiedImage(ImageChops.subtract(image, less.point(table)), factor)


def _largest_faint(differences: Image.Image) -> int:
    """Return the largest of the faint differences in any color, at least 1."""
    counts = differences.histogram()
    faint = (value for value in range(FAINT, 0, -1) if any(counts[value::256]))
    return next(faint, 1)


def is_faint_only(changes: Iterable[Change]) -> bool:
    """Whether all changes are hard to see without amplification."""
    return {change.kind for change in changes} - {"noise"} == {"faint"}
