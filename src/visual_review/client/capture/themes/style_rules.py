"""Finds classes and attributes of a dark theme in the selectors of a page's style rules."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from visual_review.client.capture.themes.setting import ROOT, ThemeSetting
from visual_review.client.capture.themes.terms import (
    SUBJECTS,
    is_theme_name,
    split_name,
    theme_of,
)

# One part of a selector, with the element it belongs to if that is the root or the body.
PART: Final = re.compile(
    r"(?P<element>html|body|:root)?"
    r"(?:\.(?P<class>[\w-]+)|\[(?P<name>[\w-]+)[~|^$*]?=[\"']?(?P<value>[\w -]+?)[\"']?(?: [is])?\])"
)
# More would be a page that styles everything; the first ones are the most frequent.
MOST: Final = 6


def find_style_settings(parts: Mapping[str, int]) -> list[ThemeSetting]:
    """Return the settings by classes and attributes, the most frequent in style rules first.

    ``parts`` are parts of selectors such as ``body.dark`` or ``[data-theme="dark"]`` with the
    number of rules that have them.
    """
    counts: dict[tuple[str, str, str], int] = {}
    for part, count in parts.items():
        if key := _read_part(part):
            counts[key] = counts.get(key, 0) + count
    ordered = sorted(counts, key=lambda key: (-counts[key], key))
    settings = (_make_setting(key, counts) for key in ordered)
    return list(dict.fromkeys(each for each in settings if each is not None))[:MOST]


def _read_part(text: str) -> tuple[str, str, str] | None:
    """Return the target, the attribute (empty: a class) and the value of a part that counts."""
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
        # Without a rule of its own, light is what the page looks like without the dark one.
        None,
    )
    return ThemeSetting("attribute" if name else "class", name, light, dark, target)


def _opposites(dark: str) -> Iterator[str]:
    for old, new in (("dark", "light"), ("Dark", "Light"), ("night", "day"), ("Night", "Day")):
        if old in dark:
            yield dark.replace(old, new)
