"""Lists the ways in which a Storybook may switch its theme, in the order they are tried."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from visual_review.client.capture.themes.declared_globals import (
    SUBJECTS,
    DeclaredGlobals,
    find_global_settings,
    is_theme_name,
    split_name,
    theme_of,
)
from visual_review.client.capture.themes.setting import MEDIA, ROOT, ThemeSetting

# One part of a selector, with the element of the part if root or body.
PART: Final = re.compile(
    r"(?P<element>html|body|:root)?"
    r"(?:\.(?P<class>[\w-]+)|\[(?P<name>[\w-]+)[~|^$*]?=[\"']?(?P<value>[\w -]+?)[\"']?(?: [is])?\])"
)
# A page with more styles everything; the first ones are the most frequent.
MOST: Final = 6
# The element for the add-on's classes, unless set by the add-on's parameters.
BODY: Final = "body"


def find_addon_setting(*, present: bool, parameters: object) -> ThemeSetting | None:
    """Return the setting of the add-on; ``parameters`` are ``darkMode`` of a story.

    ``present``: the Storybook contains the add-on, or something in the preview listens to the
    add-on.
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


# The page was written by others, so every part of the answer needs a limit.
MOST_CANDIDATES: Final = 12


@dataclass(frozen=True, slots=True)
class PageFacts:
    """A loaded preview's facts about its themes."""

    declared: DeclaredGlobals = field(default_factory=DeclaredGlobals)
    has_dark_mode_addon: bool = False
    dark_mode_parameters: object = None
    selector_parts: Mapping[str, int] = field(default_factory=dict)


def list_candidates(facts: PageFacts) -> list[ThemeSetting]:
    """Return possible ways to switch the theme, in addition to ``prefers-color-scheme``."""
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
    """Return the facts reported by the page; facts of the wrong type count as absent."""
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


def find_style_settings(parts: Mapping[str, int]) -> list[ThemeSetting]:
    """Return the settings by classes and attributes, the most frequent in style rules first.

    ``parts`` are parts of selectors such as ``body.dark`` or ``[data-theme="dark"]`` with their
    number of rules.
    """
    counts: dict[tuple[str, str, str], int] = {}
    for part, count in parts.items():
        if key := _read_part(part):
            counts[key] = counts.get(key, 0) + count
    ordered = sorted(counts, key=lambda key: (-counts[key], key))
    settings = (_make_setting(key, counts) for key in ordered)
    return list(dict.fromkeys(each for each in settings if each is not None))[:MOST]


def _read_part(text: str) -> tuple[str, str, str] | None:
    """Return target, attribute (empty: a class) and value of a part that stands for a theme."""
    part = PART.fullmatch(text)
    if part is None:
        return None
    target = "body" if part["element"] == "body" else ROOT
    if part["class"]:
        return (target, "", part["class"]) if is_theme_name(part["class"]) else None
    # `[type=dark]` belongs to some component.
    known = SUBJECTS.intersection(split_name(part["name"])) or theme_of(part["name"])
    return (target, part["name"], part["value"]) if known and is_theme_name(part["value"]) else None


def _make_setting(
    key: tuple[str, str, str], known: Mapping[tuple[str, str, str], int]
) -> ThemeSetting | None:
    target, name, dark = key
    if theme_of(dark) != "dark":
        return None
    light = next(
        (each for each in _opposites(dark) if (target, name, each) in known),
        # Without a rule of its own, light is the page without the dark value.
        None,
    )
    return ThemeSetting("attribute" if name else "class", name, light, dark, target)


def _opposites(dark: str) -> Iterator[str]:
    for old, new in (("dark", "light"), ("Dark", "Light"), ("night", "day"), ("Night", "Day")):
        if old in dark:
            yield dark.replace(old, new)
