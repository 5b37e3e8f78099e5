"""Finds the global that selects the theme among those that the preview declares."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from visual_review.client.capture.themes.setting import ThemeSetting, Value
from visual_review.variants import Theme

TERMS: Final[dict[Theme, frozenset[str]]] = {
    "light": frozenset({"light", "day", "daylight", "lightmode"}),
    "dark": frozenset({"dark", "night", "midnight", "darkmode"}),
}
# Words allowed next to a theme in the name of a class, an attribute or a global. A class such as
# `bg-dark` is a variant of a component, and would darken the page without being a theme.
COMPANIONS: Final = frozenset(
    {"theme", "themes", "mode", "scheme", "color", "colour", "palette", "appearance"}
    | {"app", "is", "ui", "use", "has", "the", "prefers", "current", "default", "my", "sb"}
    | {"storybook", "data", "body", "root", "page", "global"}
    # Prefixes of libraries.
    | {"bs", "v", "p", "wa", "sl", "ion", "cds", "mat", "md", "chakra", "mantine", "radix", "tw"}
    | {"mui", "joy", "el", "semi", "arco", "n", "q"}
)
SUBJECTS: Final = frozenset({"theme", "themes", "mode", "scheme", "appearance", "skin"})
WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Globals of Storybook itself; a background called dark is not a dark theme.
NOT_THEMES: Final = frozenset({"a11y", "backgrounds", "locale", "measureEnabled", "outline"}) | {
    "grid",
    "viewport",
    "vision",
    "visionSimulator",
}
# The global of @storybook/addon-themes.
ADDON_GLOBAL: Final = "theme"


def split_name(name: str) -> list[str]:
    """Split a name such as ``data-bs-theme`` or ``isDarkMode`` into lower-case words."""
    return [word.lower() for word in WORD.findall(name)]


def theme_of(name: str) -> Theme | None:
    """Return the theme in ``name``; None for neither, and for both at once."""
    parts = frozenset(split_name(name))
    found: list[Theme] = [theme for theme, terms in TERMS.items() if parts & terms]
    return found[0] if len(found) == 1 else None


def distance(name: str) -> int:
    """Return how many other words the name of a theme has; ``dark`` has none."""
    return len(split_name(name)) - 1


def is_theme_name(name: str) -> bool:
    """Return whether a class or value can only mean a theme: other words say nothing else."""
    others = [word for word in split_name(name) if not any(word in each for each in TERMS.values())]
    return theme_of(name) is not None and all(word in COMPANIONS for word in others)


def is_theme_subject(name: str) -> bool:
    """Return whether a global or an attribute of this name is likely to select a theme."""
    return bool(SUBJECTS.intersection(split_name(name))) or theme_of(name) is not None


@dataclass(frozen=True, slots=True)
class DeclaredGlobals:
    """The globals declared by the preview when loaded."""

    values: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)
    # The themes of @storybook/addon-themes, if used in the project.
    registered: Sequence[str] = ()
    # The initial one of these themes.
    registered_default: str = ""


class Choice(NamedTuple):
    value: Value
    title: str

    def theme(self) -> Theme | None:
        # The value counts first: a title may call a theme suitable for dark rooms.
        own = theme_of(self.value) if isinstance(self.value, str) else None
        return own or theme_of(self.title)

    def is_plain(self) -> bool:
        """Return whether the choice says nothing but the theme."""
        texts = (text for text in (self.value, self.title) if isinstance(text, str))
        return any(is_theme_name(text) for text in texts)

    def distance(self) -> int:
        texts = [text for text in (self.value, self.title) if isinstance(text, str)]
        return min(distance(text) for text in texts if theme_of(text))


def find_global_settings(declared: DeclaredGlobals) -> list[ThemeSetting]:
    """Return the settings by globals, the likeliest first."""
    names = [ADDON_GLOBAL] if declared.registered else []
    others = {*declared.values, *declared.types} - NOT_THEMES - {*names}
    # Sorted, as the choice must not depend on the order of a project's declarations.
    names += sorted(others, key=lambda name: (not is_theme_subject(name), name))
    found = (_find_setting(declared, name) for name in names)
    return [setting for setting in found if setting is not None]


def find_global_setting(
    declared: DeclaredGlobals, name: str, configured: Mapping[Theme, Value]
) -> ThemeSetting | None:
    """Return the setting by the global ``name``; configured values are used unchanged.

    None if a value is missing and no declared value reads like its theme.
    """
    found = _find_setting(declared, name)
    light = configured.get("light", found.light if found else declared.values.get(name))
    if "dark" in configured:
        return ThemeSetting("global", name, light, configured["dark"])
    return ThemeSetting("global", name, light, found.dark) if found else None


def _find_setting(declared: DeclaredGlobals, name: str) -> ThemeSetting | None:
    choices = [
        choice
        for choice in _list_choices(declared, name)
        # Of a global called `size`, a choice called `dark-green` is a color.
        if is_theme_subject(name) or choice.theme() is None or choice.is_plain()
    ]
    initial = declared.values.get(name)
    if not choices:
        return _guess_setting(name, initial)
    dark = _pick(choices, "dark")
    if dark is None:
        return None
    light = _pick(choices, "light") or _pick_default(choices, dark, initial, declared, name)
    return None if light is None else ThemeSetting("global", name, light.value, dark.value)


def _pick(choices: Sequence[Choice], theme: Theme) -> Choice | None:
    matching = [choice for choice in choices if choice.theme() == theme]
    # `dark` is preferred to `dark-high-contrast`; of two alike the first counts.
    return min(matching, key=Choice.distance, default=None)


def _pick_default(
    choices: Sequence[Choice], dark: Choice, initial: object, declared: DeclaredGlobals, name: str
) -> Choice | None:
    """Return the choice for light if no choice is called light: the Storybook's initial choice."""
    start = declared.registered_default if name == ADDON_GLOBAL and not initial else initial
    others = [choice for choice in choices if choice.theme() != "dark" and choice != dark]
    started = (choice for choice in others if choice.value == start)
    return next(started, others[0] if others else None)


def _guess_setting(name: str, initial: object) -> ThemeSetting | None:
    """Return the setting of a global without choices: a boolean, or one that starts as a theme."""
    theme = theme_of(name)
    if theme is not None and (initial is None or isinstance(initial, bool)):
        return ThemeSetting("global", name, light=theme == "light", dark=theme == "dark")
    # A project with one of the two as initial value has the other one, too.
    if isinstance(initial, str) and initial.lower() in ("light", "dark"):
        upper = initial[0].isupper()
        return ThemeSetting(
            "global", name, "Light" if upper else "light", "Dark" if upper else "dark"
        )
    return None


def _list_choices(declared: DeclaredGlobals, name: str) -> Iterator[Choice]:
    declaration = declared.types.get(name)
    toolbar = declaration.get("toolbar") if isinstance(declaration, Mapping) else None
    items = toolbar.get("items") if isinstance(toolbar, Mapping) else None
    for item in items if isinstance(items, list) else ():
        value = item.get("value") if isinstance(item, Mapping) else item
        title = item.get("title") if isinstance(item, Mapping) else ""
        if isinstance(value, str | int | float):
            yield Choice(value, title if isinstance(title, str) else "")
    if name == ADDON_GLOBAL:
        yield from (Choice(theme, "") for theme in declared.registered)
