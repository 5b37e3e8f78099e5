"""Settings and results of a capture, and where the time of each story goes."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from math import ceil
from pathlib import Path
from typing import Any, Final

from visual_review.client.capture.sandbox import Sandbox
from visual_review.client.capture.stories import Story
from visual_review.client.capture.themes import (
    ThemeExpectation,
    ThemeFinding,
    ThemePairs,
    ThemeSetting,
)
from visual_review.client.capture.variants import Variant
from visual_review.variants import DEVICES, THEMES, Device, Theme, Viewport

# As many as the CI interface takes for one screenshot.
MOST_REGIONS: Final = 100
LONGEST_SIDE: Final = 1_000_000
# While a page waits for its story, another page uses the core. Further pages only compete.
PAGES_PER_CORE: Final = 1.5
SLOWEST: Final = 15


@dataclass(frozen=True, slots=True)
class StoryRule:
    """For the stories whose ID matches one of ``ids``; None and empty leave a setting unchanged."""

    ids: tuple[str, ...]
    themes: tuple[Theme, ...] = ()
    devices: tuple[Device, ...] = ()
    skip: bool | None = None
    delay: float | None = None
    threshold: float | None = None

    def parameters(self, variant: Variant) -> dict[str, Any]:
        """Return the rule as the parameters ``visualReview`` of a story in this variant."""
        values = {"skip": self.skip, "delay": self.delay, "threshold": self.threshold}
        given: dict[str, Any] = {name: each for name, each in values.items() if each is not None}
        excluded = (self.themes and variant.theme not in self.themes) or (
            self.devices and variant.device not in self.devices
        )
        return given | {"skip": True} if excluded else given


def override_parameters(rules: Sequence[StoryRule], story: str, variant: Variant) -> dict[str, Any]:
    """Return the parameters to replace in the story; of several rules the last one wins."""
    overrides: dict[str, Any] = {}
    for rule in rules:
        if any(fnmatchcase(story, pattern) for pattern in rule.ids):
            overrides |= rule.parameters(variant)
    return overrides


def pages_for(cores: int) -> int:
    """Return how many pages are best open at once on a machine with so many cores."""
    return ceil(cores * PAGES_PER_CORE)


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """Times are in seconds, heights in pixels."""

    # The number of open pages.
    workers: int = 2
    chromium: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    require_sandbox: bool = False
    theme_global: str = "theme"
    # The values of the global ``theme_global``.
    theme_values: Mapping[Theme, str] = field(default_factory=dict)
    # The configured ways to switch the theme; the first proved one is used. Empty: search for a
    # way.
    theme_candidates: tuple[ThemeSetting, ...] = ()
    # The way in use, once found.
    theme_setting: ThemeSetting | None = None
    # The findings of earlier builds.
    theme_expectation: ThemeExpectation = field(default_factory=ThemeExpectation)
    # Replace parameters of single stories.
    story_rules: tuple[StoryRule, ...] = ()
    viewports: Mapping[Device, Viewport] = field(default_factory=lambda: DEVICES)
    captured_themes: tuple[Theme, ...] = THEMES
    load_timeout: float = 60.0
    # A preview that failed and does nothing for this long will not start anymore.
    startup_quiet: float = 3.0
    story_timeout: float = 30.0
    # A script that runs this long without a break is taken for endless.
    blocked_timeout: float = 8.0
    settle_timeout: float = 5.0
    # Near the largest surface of Chromium; images of longer pages repeat or stay empty.
    max_height: int = 16_000
    stories_per_load: int = 100
    # Where the preview is served; below the sub-path of the build.
    preview_path: str = "/iframe.html"
    instant: datetime = datetime(2024, 1, 1, 12, 0, 0, tzinfo=UTC)

    def with_preview(self, preview_hash: str) -> "CaptureSettings":
        """Return the settings for a Storybook whose preview has this digest."""
        expectation = replace(self.theme_expectation, preview_hash=preview_hash)
        return replace(self, theme_expectation=expectation)


@dataclass(slots=True)
class StoryTimes:
    """Seconds of one story in one variant."""

    # The start of the preview, before the first story of a page.
    load: float = 0.0
    # Storybook's rendering with the play function.
    show: float = 0.0
    # Waiting until the page is at rest.
    settle: float = 0.0
    # The screenshot.
    image: float = 0.0
    # The hooks after the story.
    finish: float = 0.0
    # The encoding of the PNG.
    encode: float = 0.0
    # The commands themselves.
    other: float = 0.0

    @property
    def total(self) -> float:
        return sum(float(getattr(self, each.name)) for each in fields(self))

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of the block to the field ``name``."""
        started = time.perf_counter()
        try:
            yield
        finally:
            setattr(self, name, getattr(self, name) + time.perf_counter() - started)

    def split(self, inside: Mapping[str, float]) -> None:
        """Move the times measured by the page itself out of ``other``."""
        for name, seconds in inside.items():
            moved = min(max(0.0, seconds), self.other)
            setattr(self, name, getattr(self, name) + moved)
            self.other -= moved


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth knowing about an image; ``notes.py`` lists the kinds."""

    kind: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A rectangle of the image, in pixels of the image, ignored by the comparison."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Shot:
    """One story in one variant: an image, or an error in place of the image."""

    story: Story
    variant: Variant
    png: bytes | None
    width: int
    height: int
    error: str | None = None
    # Why the page was still changing during the screenshot.
    unstable: str | None = None
    # The comparison threshold set by the story.
    threshold: float | None = None
    notes: tuple[Note, ...] = ()
    regions: tuple[Region, ...] = ()
    times: StoryTimes | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Renderer:
    """The browser behind the images; different renderers may give different images."""

    browser: str
    version: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """Counts of shots; each story and variant is in exactly one count."""

    shots_ok: int
    failed: int
    skipped: int
    renderer: Renderer
    sandbox: Sandbox
    # How the theme was switched.
    themes: ThemeFinding | None = None
    # Whether switching the theme made any difference.
    theme_pairs: ThemePairs = field(default_factory=ThemePairs)
    # Sentences about the run as a whole.
    notices: tuple[str, ...] = ()


def parse_regions(value: object, where: str) -> tuple[Region, ...]:
    """Return the regions. Raises ValueError naming the place of an invalid value."""
    if not isinstance(value, list) or len(value) > MOST_REGIONS:
        raise ValueError(f"{where}.regions is not a list of at most {MOST_REGIONS}")
    return tuple(_parse(each, f"{where}.regions[{number}]") for number, each in enumerate(value))


def clip_regions(regions: Sequence[Region], width: int, height: int) -> tuple[Region, ...]:
    """Return the parts inside an image of this size, without duplicates and empty parts."""
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


TIME_NAMES: Final = tuple(each.name for each in fields(StoryTimes))


@dataclass(slots=True)
class Profile:
    """The times of a run, by story and variant."""

    stories: list[tuple[str, StoryTimes]] = field(default_factory=list)

    def add(self, label: str, times: StoryTimes | None) -> None:
        if times is not None:
            self.stories.append((label, times))

    def lines(self) -> list[str]:
        """Return a table of the slowest stories, after the sum of all."""
        if not self.stories:
            return ["Nothing was captured, so there is no profile."]
        slowest = sorted(self.stories, key=lambda each: -each[1].total)[:SLOWEST]
        rows = [("all stories", sum_times(times for _, times in self.stories)), *slowest]
        head = "".join(f"{name:>9}" for name in ("total", *TIME_NAMES)) + "  seconds of"
        return [head, *(_row(label, times) for label, times in rows)]

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {"story": label, **{name: round(getattr(times, name), 4) for name in TIME_NAMES}}
            for label, times in sorted(self.stories, key=lambda each: -each[1].total)
        ]


def sum_times(all_times: Iterable[StoryTimes]) -> StoryTimes:
    total = StoryTimes()
    for times in all_times:
        for name in TIME_NAMES:
            setattr(total, name, getattr(total, name) + getattr(times, name))
    return total


def _row(label: str, times: StoryTimes) -> str:
    numbers = "".join(f"{getattr(times, name):9.2f}" for name in ("total", *TIME_NAMES))
    return f"{numbers}  {label}"
