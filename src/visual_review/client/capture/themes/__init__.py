"""Finds out how a Storybook switches between its light and its dark theme."""

from visual_review.client.capture.themes.candidates import PageFacts, list_candidates, read_facts
from visual_review.client.capture.themes.declared_globals import (
    DeclaredGlobals,
    find_global_setting,
)
from visual_review.client.capture.themes.setting import (
    MEDIA,
    ThemeChangedError,
    ThemeExpectation,
    ThemeFinding,
    ThemeKind,
    ThemePairs,
    ThemeSetting,
    read_finding,
)

__all__ = [
    "MEDIA",
    "DeclaredGlobals",
    "PageFacts",
    "ThemeChangedError",
    "ThemeExpectation",
    "ThemeFinding",
    "ThemeKind",
    "ThemePairs",
    "ThemeSetting",
    "find_global_setting",
    "list_candidates",
    "read_facts",
    "read_finding",
]
