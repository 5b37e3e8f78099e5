"""Make faint changes visible: exaggerate how a part differs from the one before."""

from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageChops

# The largest difference becomes about this; more would turn shades into flat colors.
VISIBLE: Final = 110
MOST: Final = 32
LEAST: Final = 2
# Of what differs by more, nothing has to be amplified.
FAINTEST: Final = 1


@dataclass(frozen=True, slots=True)
class AmplifiedImage:
    """The image before, with each difference ``factor`` times as large."""

    image: Image.Image
    factor: int


def amplify(before: Image.Image, after: Image.Image) -> AmplifiedImage:
    """Return ``before`` with the differences of ``after`` exaggerated, of RGB images of one size."""
    more, less = ImageChops.subtract(after, before), ImageChops.subtract(before, after)
    largest = max(high for each in (more, less) for _, high in each.getextrema())
    factor = max(LEAST, min(MOST, VISIBLE // max(FAINTEST, largest)))
    table = [min(255, value * factor) for value in range(256)] * 3
    image = ImageChops.add(before, more.point(table))
    return AmplifiedImage(ImageChops.subtract(image, less.point(table)), factor)
