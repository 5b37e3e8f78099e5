"""What a configuration file says, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from visual_review.client.capture import CaptureSettings, Device, Theme, Viewport
from visual_review.client.capture.story_rules import StoryRule
from visual_review.client.capture.themes import ThemeSetting


@dataclass(frozen=True, slots=True)
class CaptureConfiguration:
    """Empty where the file says nothing. ``candidates`` are tried in their order.

    ``sizes`` are for captures without a server, which has sizes of its own.
    """

    themes: tuple[Theme, ...] = ()
    devices: tuple[Device, ...] = ()
    candidates: tuple[ThemeSetting, ...] = ()
    sizes: Mapping[Device, Viewport] = field(default_factory=dict)
    stories: tuple[StoryRule, ...] = ()

    def apply(self, settings: CaptureSettings) -> CaptureSettings:
        """Return ``settings``, completed; a theme that options have chosen stays."""
        chosen = settings.theme_values or settings.theme_global != CaptureSettings().theme_global
        return replace(
            settings,
            theme_candidates=() if chosen else self.candidates,
            viewports={**settings.viewports, **self.sizes},
            story_rules=self.stories,
        )


@dataclass(frozen=True, slots=True)
class CheckConfiguration:
    """What `visual-review check` cannot know from git; ``build`` is a command line."""

    server: str = ""
    repository: str = ""
    base_branch: str = ""
    build: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the whole file says; without a ``path``, nothing."""

    path: Path | None = None
    capture: CaptureConfiguration = field(default_factory=CaptureConfiguration)
    check: CheckConfiguration = field(default_factory=CheckConfiguration)
