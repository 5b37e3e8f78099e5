"""Finds the value of a Storybook global that selects a theme."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from visual_review.client.capture.variants import Theme


@dataclass(frozen=True, slots=True)
class DeclaredGlobals:
    """The globals that the preview declared when it loaded.

    ``registered`` are the themes of the themes add-on, if the project uses it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)
    registered: tuple[str, ...] = ()


def find_theme_globals(
    declared: DeclaredGlobals, name: str, theme: Theme, configured: Mapping[Theme, str]
) -> dict[str, str]:
    """Return the globals to set for ``theme``; empty if the project declares no such theme.

    A guessed value could break a story, so nothing is set unless the project declares the
    global and, without configuration, a value called light or dark.
    """
    if name not in declared.values and name not in declared.types:
        return {}
    if theme in configured:
        return {name: configured[theme]}
    known = [*_toolbar_values(declared.types.get(name)), *declared.registered]
    initial = declared.values.get(name)
    # A project that declares no values but starts with one of the two has the other one, too.
    if not known and isinstance(initial, str) and initial.lower() in ("light", "dark"):
        known = ["Light", "Dark"] if initial[0].isupper() else ["light", "dark"]
    return next(({name: value} for value in known if value.lower() == theme), {})


def _toolbar_values(declaration: Any) -> Iterator[str]:  # noqa: ANN401 -- Written by the project.
    toolbar = declaration.get("toolbar") if isinstance(declaration, Mapping) else None
    items = toolbar.get("items") if isinstance(toolbar, Mapping) else None
    for item in items if isinstance(items, list) else ():
        value = item.get("value") if isinstance(item, Mapping) else item
        if isinstance(value, str):
            yield value
