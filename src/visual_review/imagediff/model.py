"""The input and the results of a comparison."""

import math
from dataclasses import dataclass
from typing import Final, Literal

# Parts of every cached verdict's key: change one whenever a verdict may change. ``RULE`` decides
# which pixels count as different, whatever later versions of pixelmatch do.
RULE: Final = "pixelmatch 7.2"
ENGINE_VERSION: Final = "3"

Reason = Literal["identical", "below_threshold", "anti_aliased", "regions", "pixels", "size"]


@dataclass(frozen=True, slots=True)
class Limits:
    """The largest supported image; a larger one raises ImageTooLargeError.

    Sides and areas are in pixels. The defaults allow a page of 1525 x 65535, whose pixels need
    400 MB.
    """

    file_bytes: int = 64 * 1024 * 1024
    side: int = 65_535
    pixels: int = 100_000_000
    chunks: int = 100_000


DEFAULT_LIMITS: Final = Limits()


@dataclass(frozen=True, slots=True)
class ImageInfo:
    """The values of a PNG's header; ``bit_depth`` is bits per sample."""

    width: int
    height: int
    bit_depth: int
    color_type: int
    interlaced: bool


@dataclass(frozen=True, slots=True)
class VerifiedImage:
    """A completely decoded image.

    ``pixels_sha256`` is the hex digest of width, height (8 bytes each, big endian) and the 8-bit
    RGBA pixels row by row: equal for files with different bytes and the same image.
    """

    width: int
    height: int
    pixels_sha256: str


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle to ignore, in fractions 0..1 of the compared area; clipped at its edges."""

    x: float
    y: float
    width: float
    height: float

    def __post_init__(self) -> None:
        for name in ("x", "y", "width", "height"):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0 <= value <= 1):
                raise ValueError(f"region {name} is {value}; it must be between 0 and 1")


@dataclass(frozen=True, slots=True)
class Options:
    """How strict a comparison is."""

    # The largest color distance of equal pixels: at 0 every difference counts, at 1 none does.
    threshold: float = 0.1
    # Whether anti-aliased pixels count as well.
    include_anti_aliased: bool = False
    regions: tuple[Region, ...] = ()

    def __post_init__(self) -> None:
        if not (math.isfinite(self.threshold) and 0 <= self.threshold <= 1):
            raise ValueError(f"threshold is {self.threshold}; it must be between 0 and 1")


DEFAULT_OPTIONS: Final = Options()


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in pixels of the compared area, origin at the top left."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a comparison."""

    # True for the first four reasons.
    equal: bool
    diff_pixels: int
    # ``diff_pixels`` over the pixels of the union outside regions; 0 without such pixels.
    diff_ratio: float
    # The size of the union of both images.
    width: int
    height: int
    # ``identical``: every pixel is the same;
    # ``below_threshold``: colors differ, none by more than the threshold;
    # ``anti_aliased``: only anti-aliased pixels differ by more than the threshold;
    # ``regions``: pixels differ, all of them in ignored regions;
    # ``pixels``: same size, and pixels differ;
    # ``size``: the sizes differ, and pixels of only one image count.
    reason: Reason
    boxes: tuple[Box, ...] = ()
    anti_aliased_pixels: int = 0
    region_diff_pixels: int = 0

    @property
    def only_in_regions(self) -> bool:
        """Whether there are differences, all of them in ignored regions."""
        return self.reason == "regions"
