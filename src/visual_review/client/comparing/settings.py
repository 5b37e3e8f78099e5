"""How strict a comparison of folders is, and which parts of the images are ignored."""

import math
import re
from dataclasses import dataclass
from typing import Final

from visual_review.client.comparing.errors import InputError
from visual_review.imagediff import DEFAULT_OPTIONS, Options, Region, Verdict
from visual_review.imagediff.changes.model import FAINT_COUNTS_BY_DEFAULT, Analysis

_NUMBER: Final = re.compile(r"(\d+(?:\.\d+)?)(%?)")
_PARTS: Final = 4
# In pixels. A region ending this much earlier touches no further pixel after rounding.
_MARGIN: Final = 0.001
PERCENT: Final = 100
FAIL_ON: Final = ("changed", "new", "removed")


@dataclass(frozen=True, slots=True)
class Length:
    """A number of pixels, or of percent of the compared area's side."""

    value: float
    is_percent: bool

    def pixels(self, side: int) -> float:
        return self.value * side / PERCENT if self.is_percent else self.value

    def __str__(self) -> str:
        return f"{self.value:g}{'%' * self.is_percent}"


@dataclass(frozen=True, slots=True)
class IgnoredArea:
    """A rectangle as given by ``--ignore``."""

    x: Length
    y: Length
    width: Length
    height: Length

    def __str__(self) -> str:
        return f"{self.x},{self.y},{self.width},{self.height}"

    def region(self, width: int, height: int) -> Region | None:
        """Return the rectangle in fractions of an area of this size, or None if outside."""
        across = _fraction(self.x.pixels(width), self.width.pixels(width), width)
        down = _fraction(self.y.pixels(height), self.height.pixels(height), height)
        if across is None or down is None:
            return None
        return Region(across[0], down[0], across[1], down[1])


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts as a difference."""

    threshold: float = DEFAULT_OPTIONS.threshold
    include_anti_aliased: bool = DEFAULT_OPTIONS.include_anti_aliased
    ignored: tuple[IgnoredArea, ...] = ()
    # A pair with at most this many different pixels is unchanged.
    max_diff_pixels: int = 0
    # A pair with at most this share of different pixels in the compared area is unchanged.
    max_diff_pixel_ratio: float = 0.0
    # Whether pixels of a large enough faint change count.
    faint: bool = FAINT_COUNTS_BY_DEFAULT

    def options(self, width: int, height: int) -> Options:
        """Return the options of the engine for a compared area of this size."""
        regions = (area.region(width, height) for area in self.ignored)
        return Options(
            self.threshold,
            self.include_anti_aliased,
            tuple(region for region in regions if region is not None),
        )

    def describe(self) -> str:
        """Return the settings in one line, for the report."""
        parts = [f"threshold {self.threshold:g}"]
        parts.append(f"anti-aliased pixels {'count' if self.include_anti_aliased else 'ignored'}")
        parts.append(f"faint changes {'count' if self.faint else 'ignored'}")
        parts += [f"area {area} ignored" for area in self.ignored]
        if self.max_diff_pixels:
            parts.append(f"up to {self.max_diff_pixels:,} pixels may differ")
        if self.max_diff_pixel_ratio:
            parts.append(f"up to {self.max_diff_pixel_ratio:g} of the pixels may differ")
        return ", ".join(parts)

    def differs(self, verdict: Verdict, analysis: Analysis) -> bool:
        """Return whether anything counts as a difference, even a tolerated one."""
        return not verdict.equal or (self.faint and analysis.is_faintly_changed)

    def tolerates(self, verdict: Verdict, analysis: Analysis, compared: int) -> bool:
        """Return whether no more pixels differ than allowed, of so many compared ones."""
        faint = analysis.faint_pixels if self.faint and analysis.is_faintly_changed else 0
        pixels = verdict.diff_pixels + faint
        share = pixels / compared if compared else 0.0
        return pixels <= self.max_diff_pixels or share <= self.max_diff_pixel_ratio


def parse_ignored_area(text: str) -> IgnoredArea:
    """Parse ``x,y,width,height``, each in pixels or in percent. Raises InputError."""
    parts = [_NUMBER.fullmatch(part.strip()) for part in text.split(",")]
    lengths = [Length(float(part[1]), part[2] == "%") for part in parts if part is not None]
    if len(parts) != _PARTS or len(lengths) != _PARTS:
        raise InputError(
            f"--ignore {text!r} is not x,y,width,height; give pixels such as 0,0,200,48, "
            "or percent such as 0%,0%,100%,5%"
        )
    return IgnoredArea(*lengths)


def parse_fail_on(text: str) -> frozenset[str]:
    """Parse the states that make the command exit with 1. Raises InputError."""
    states = frozenset(part.strip() for part in text.split(","))
    if states == {"none"}:
        return frozenset()
    if not states <= set(FAIL_ON):
        raise InputError(
            f"--fail-on {text!r} is unknown; give some of changed,new,removed, or none"
        )
    return states


def _fraction(start: float, length: float, side: int) -> tuple[float, float] | None:
    """Return start and length as fractions of the side, clipped to the side, in whole pixels."""
    # Rounding first keeps 0.1 + 0.2 of ten pixels from touching a fourth one.
    first = math.floor(round(start, 6))
    end = min(math.ceil(round(start + length, 6)), side)
    if length <= 0 or first >= end:
        return None
    return (first + _MARGIN) / side, (end - first - 2 * _MARGIN) / side
