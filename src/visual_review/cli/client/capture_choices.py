"""The options for the captured variants, stories and theme values."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from visual_review.client.capture import ALL_VARIANTS, Story, TagFilter, Variant, describe_left_out
from visual_review.client.capture.stories import NO_STORIES_HINT
from visual_review.client.configuration import (
    Configuration,
    ConfigurationError,
    find_configuration,
    read_configuration,
)
from visual_review.variants import DEVICES, THEMES, Theme

# For the browser's list of rules, where a comma would begin another rule.
HOST: Final = re.compile(r"[\w*.-]+(:\d{1,5})?")


class ChoiceError(Exception):
    """An option names something unknown; the message lists the possible names."""


def select_variants(themes: Sequence[str], devices: Sequence[str]) -> list[Variant]:
    """Return the variants with one of ``themes`` and of ``devices``; an empty list means all."""
    for given, known, what in ((themes, THEMES, "theme"), (devices, DEVICES, "device")):
        for name in given:
            if name not in known:
                raise ChoiceError(f"there is no {what} {name!r}; choose from {', '.join(known)}")
    return [
        variant
        for variant in ALL_VARIANTS
        if (not themes or variant.theme in themes) and (not devices or variant.device in devices)
    ]


def make_tag_filter(included: list[str] | None, excluded: list[str] | None) -> TagFilter:
    return TagFilter(frozenset(included or ()), frozenset(excluded or ()))


def select_stories(
    stories: list[Story], globs: list[str], tags: TagFilter, on_note: Callable[[str], None]
) -> list[Story]:
    """Return the stories matching one of ``globs``, if any, and the tags.

    ``on_note`` gets the stories left out only because of their tags.
    """
    if not stories:
        raise ChoiceError(f"The Storybook has no stories. {NO_STORIES_HINT}")
    chosen = [
        story
        for story in stories
        if not globs or any(fnmatchcase(story.id, pattern) for pattern in globs)
    ]
    if not chosen:
        raise ChoiceError(f"none of the {len(stories)} stories matches {' or '.join(globs)}")
    captured, left_out = tags.select(chosen)
    if not captured:
        raise ChoiceError(f"no story is left to capture: {describe_left_out(left_out)}")
    if note := describe_left_out(left_out):
        on_note(note)
    return captured


def parse_theme_values(given: list[str]) -> dict[Theme, str]:
    """Return the values by theme from strings such as ``dark=Night``."""
    values: dict[Theme, str] = {}
    for text in given:
        name, separator, value = text.partition("=")
        theme = next((theme for theme in THEMES if theme == name), None)
        if theme is None or not separator or not value:
            raise ChoiceError(f"{text!r} is not a theme value; write light=VALUE or dark=VALUE")
        values[theme] = value
    return values


def parse_hosts(given: list[str]) -> tuple[str, ...]:
    """Return the allowed hosts, each with an optional port."""
    for text in given:
        if not HOST.fullmatch(text):
            raise ChoiceError(
                f"{text!r} is not a host; write a name such as cdn.example.org, or name:port"
            )
    return tuple(given)


def load_configuration(folder: Path, chosen: Path | None) -> Configuration:
    """Return the configuration: chosen, found, or empty. Raises ``ConfigurationError``."""
    if chosen is not None and not chosen.is_file():
        raise ConfigurationError(f"There is no configuration at {chosen}. Correct --config.")
    path = chosen or find_configuration(folder, Path.cwd())
    return Configuration() if path is None else read_configuration(path)
