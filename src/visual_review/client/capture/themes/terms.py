"""Names that read like a light or a dark theme."""

import re
from typing import Final

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
