"""Settings and results of a capture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.profile import StoryTimes
from visual_review.client.capture.sandbox import Sandbox
from visual_review.client.capture.stories import Story
from visual_review.client.capture.story_rules import StoryRule
from visual_review.client.capture.themes import (
    ThemeExpectation,
    ThemeFinding,
    ThemePairs,
    ThemeSetting,
)
from visual_review.client.capture.variants import DEVICES, THEMES, Device, Theme, Variant, Viewport

# As many as the CI interface takes for one screenshot.
MOST_REGIONS: Final = 100
LONGEST_SIDE: Final = 1_000_000
# While one waits for its story, another one uses the core. More than these only compete.
PAGES_PER_CORE: Final = 1.5


def pages_for(cores: int) -> int:
    """Return how many pages are best open at once on a machine with so many cores."""
    return ceil(cores * PAGES_PER_CORE)


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """Times are in seconds, heights in pixels; ``workers`` is the number of open pages.

    ``theme_values`` are the values of the global ``theme_global``. ``theme_candidates`` are the
    configured ways to switch the theme, of which the first proved one is used; without any, they
    are searched for. ``theme_setting`` is what was found, ``theme_expectation`` what earlier
    builds found.
    ``story_rules`` replace parameters of single stories.
    """

    workers: int = 2
    chromium: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    require_sandbox: bool = False
    theme_global: str = "theme"
    theme_values: Mapping[Theme, str] = field(default_factory=dict)
    theme_candidates: tuple[ThemeSetting, ...] = ()
    theme_setting: ThemeSetting | None = None
    theme_expectation: ThemeExpectation = field(default_factory=ThemeExpectation)
    story_rules: tuple[StoryRule, ...] = ()
    viewports: Mapping[Device, Viewport] = field(default_factory=lambda: DEVICES)
    captured_themes: tuple[Theme, ...] = THEMES
    load_timeout: float = 60.0
    # A preview that has failed and does nothing for this long will not start any more.
    startup_quiet: float = 3.0
    story_timeout: float = 30.0
    # A page whose script runs this long without a break is taken for one that never ends.
    blocked_timeout: float = 8.0
    settle_timeout: float = 5.0
    # Near the largest surface of Chromium; images of longer pages repeat or stay empty.
    max_height: int = 16_000
    stories_per_load: int = 100
    # Where the preview is served; below the sub-path that it was built for.
    preview_path: str = "/iframe.html"
    instant: datetime = datetime(2024, 1, 1, 12, 0, 0, tzinfo=UTC)

    def with_preview(self, preview_hash: str) -> "CaptureSettings":
        """Return the settings for a Storybook whose preview has this digest."""
        expectation = replace(self.theme_expectation, preview_hash=preview_hash)
        return replace(self, theme_expectation=expectation)


@dataclass(frozen=True, slots=True)
class Note:
    """What is worth knowing about an image; ``notes.py`` lists the kinds."""

    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the image, in its pixels, which the comparison ignores."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Shot:
    """One story in one variant: an image, or the error that prevented it.

    ``unstable`` says why the page was still changing when the image was taken, ``notes`` what
    else is worth knowing. ``threshold`` is the comparison threshold set by the story.
    """

    story: Story
    variant: Variant
    png: bytes | None
    width: int
    height: int
    error: str | None = None
    unstable: str | None = None
    threshold: float | None = None
    notes: tuple[Note, ...] = ()
    regions: tuple[Region, ...] = ()
    times: StoryTimes | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Renderer:
    """What rendered the images; different renderers may give different images."""

    browser: str
    version: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """Counts of shots; each story and variant is in exactly one of them.

    ``themes`` is how the theme was switched, ``theme_pairs`` whether that made any difference.
    ``notices`` are sentences about the run as a whole.
    """

    shots_ok: int
    failed: int
    skipped: int
    renderer: Renderer
    sandbox: Sandbox
    themes: ThemeFinding | None = None
    theme_pairs: ThemePairs = field(default_factory=ThemePairs)
    notices: tuple[str, ...] = ()


def parse_regions(value: object, where: str) -> tuple[Region, ...]:
    """Return the regions. Raises ValueError that names the place if they are not some."""
    if not isinstance(value, list) or len(value) > MOST_REGIONS:
        raise ValueError(f"{where}.regions is not a list of at most {MOST_REGIONS}")
    return tuple(_parse(each, f"{where}.regions[{number}]") for number, each in enumerate(value))


def clip_regions(regions: Sequence[Region], width: int, height: int) -> tuple[Region, ...]:
    """Return the parts inside an image of this size, without duplicates and empty ones."""
    inside: dict[Region, None] = {}
    for region in regions:
        right, bottom = min(region.x + region.width, width), min(region.y + region.height, height)
        left, top = max(region.x, 0), max(region.y, 0)
        if left < right and top < bottom:
            inside[Region(left, top, right - left, bottom - top)] = None
    return tuple(inside)[:MOST_REGIONS]


def _parse(value: object, where: str) -> Region:
    body: dict[str, Any] = value if isinstance(value, dict) else {}
    numbers = [body.get(name) for name in ("x", "y", "width", "height")]
    # A bool is an integer, too.
    sides = [each for each in numbers if type(each) is int and 0 <= each <= LONGEST_SIDE]
    if len(sides) < len(numbers):
        raise ValueError(f"{where} is not a rectangle of whole pixels")
    return Region(*sides)
