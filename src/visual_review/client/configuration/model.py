"""The checked content of a configuration file."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.results import StoryRule
from visual_review.client.capture.themes import ThemeSetting
from visual_review.variants import Device, Theme, Viewport


@dataclass(frozen=True, slots=True)
class CaptureConfiguration:
    """The settings for captures; empty if missing in the file."""

    themes: tuple[Theme, ...] = ()
    devices: tuple[Device, ...] = ()
    # Tried in this order.
    candidates: tuple[ThemeSetting, ...] = ()
    # For captures without a server; a server has its own sizes.
    sizes: Mapping[Device, Viewport] = field(default_factory=dict)
    stories: tuple[StoryRule, ...] = ()

    def apply(self, settings: CaptureSettings) -> CaptureSettings:
        """Return ``settings``, completed; a theme chosen by options stays."""
        chosen = settings.theme_values or settings.theme_global != CaptureSettings().theme_global
        return replace(
            settings,
            theme_candidates=() if chosen else self.candidates,
            viewports={**settings.viewports, **self.sizes},
            story_rules=self.stories,
        )


@dataclass(frozen=True, slots=True)
class CheckConfiguration:
    """Settings of `visual-review check` unknown to git."""

    server: str = ""
    repository: str = ""
    base_branch: str = ""
    # A command line.
    build: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """The content of the whole file."""

    # None without a file; everything else is empty then.
    path: Path | None = None
    capture: CaptureConfiguration = field(default_factory=CaptureConfiguration)
    check: CheckConfiguration = field(default_factory=CheckConfiguration)
