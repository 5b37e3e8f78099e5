"""What a capture is told and what it hands back."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from visual_review.client.capture.stories import Story
from visual_review.client.capture.variants import Theme, Variant


@dataclass(frozen=True, slots=True)
class CaptureSettings:
    """Times are in seconds, heights in pixels.

    ``theme_values`` are used as given for a declared global named ``theme_global``; left empty,
    a value is used only where the project itself offers one called light or dark.
    """

    workers: int = field(default_factory=lambda: os.cpu_count() or 1)
    chromium: Path | None = None
    allow_hosts: tuple[str, ...] = ()
    theme_global: str = "theme"
    theme_values: Mapping[Theme, str] = field(default_factory=dict)
    load_timeout: float = 60.0
    story_timeout: float = 30.0
    settle_timeout: float = 5.0
    short_timer: float = 0.5
    # Chromium's surfaces end soon after, and images of longer ones repeat or stay empty.
    max_height: int = 16_000
    stories_per_page: int = 50
    instant: datetime = datetime(2024, 1, 1, 12, 0, 0, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Shot:
    """One story in one variant: an image, or the reason why there is none.

    ``unstable`` says why the page still moved when the image was taken, ``note`` what else is
    worth knowing about it. ``threshold`` is the comparison threshold the story asks for.
    """

    story: Story
    variant: Variant
    png: bytes | None
    width: int
    height: int
    error: str | None = None
    unstable: str | None = None
    note: str | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Renderer:
    """What drew the images; images of unlike renderers need not be equal."""

    browser: str
    version: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """Counts of shots; every story and variant is in exactly one of them."""

    shots_ok: int
    failed: int
    skipped: int
    renderer: Renderer
