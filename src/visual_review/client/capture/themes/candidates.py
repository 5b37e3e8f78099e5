"""Lists the ways in which a Storybook may switch its theme, in the order they are tried."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from visual_review.client.capture.themes.declared_globals import (
    DeclaredGlobals,
    find_global_settings,
)
from visual_review.client.capture.themes.setting import MEDIA, ThemeSetting
from visual_review.client.capture.themes.style_rules import find_style_settings

# What the add-on sets classes on, unless its parameters say something else.
BODY: Final = "body"


def find_addon_setting(*, present: bool, parameters: object) -> ThemeSetting | None:
    """Return the setting of the add-on; ``parameters`` are ``darkMode`` of a story.

    ``present``: the Storybook contains the add-on, or something in the preview listens to it.
    """
    options = parameters if isinstance(parameters, Mapping) else {}
    if not present and not options:
        return None
    # As in the add-on: without this option only the event and its storage reach the preview.
    styles = options.get("stylePreview") is True
    target = options.get("classTarget")
    return ThemeSetting(
        "dark-mode-addon",
        light=_classes(options, "light") if styles else None,
        dark=_classes(options, "dark") if styles else None,
        target=target if isinstance(target, str) and target else BODY,
    )


def _classes(options: Mapping[str, Any], theme: str) -> str:
    given = options.get(f"{theme}Class", theme)
    names = given if isinstance(given, list) else [given]
    return " ".join(name for name in names if isinstance(name, str)).strip()


# The page was written by others, so nothing in its answer may be long without limit.
MOST_CANDIDATES: Final = 12


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a loaded preview says about its themes."""

    declared: DeclaredGlobals = field(default_factory=DeclaredGlobals)
    has_dark_mode_addon: bool = False
    dark_mode_parameters: object = None
    selector_parts: Mapping[str, int] = field(default_factory=dict)


def list_candidates(facts: PageFacts) -> list[ThemeSetting]:
    """Return what may switch the theme, in addition to ``prefers-color-scheme``."""
    addon = find_addon_setting(
        present=facts.has_dark_mode_addon, parameters=facts.dark_mode_parameters
    )
    found = [
        *([addon] if addon else []),
        *find_global_settings(facts.declared),
        *find_style_settings(facts.selector_parts),
    ]
    return [each for each in dict.fromkeys(found) if each != MEDIA][:MOST_CANDIDATES]


def read_facts(body: object) -> PageFacts:
    """Return the facts that the page reported; what has the wrong type counts as absent."""
    given = body if isinstance(body, Mapping) else {}
    registered = _mapping(given.get("registered"))
    return PageFacts(
        declared=DeclaredGlobals(
            values=_mapping(given.get("values")),
            types=_mapping(given.get("types")),
            registered=_strings(registered.get("themes")),
            registered_default=str(registered.get("defaultTheme") or ""),
        ),
        has_dark_mode_addon=given.get("darkModeAddon") is True,
        dark_mode_parameters=given.get("darkMode"),
        selector_parts={
            part: count
            for part, count in _mapping(given.get("parts")).items()
            if isinstance(count, int)
        },
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _strings(value: object) -> Sequence[str]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
