"""Finds the value of a Storybook global that stands for a theme."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from visual_review.client.capture.variants import Theme


@dataclass(frozen=True, slots=True)
class DeclaredGlobals:
    """What the preview told about its globals when it loaded.

    ``offered`` are the themes that the themes add-on registered, if the project uses it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    types: Mapping[str, Any] = field(default_factory=dict)
    offered: tuple[str, ...] = ()


def theme_update(
    declared: DeclaredGlobals, name: str, theme: Theme, configured: Mapping[Theme, str]
) -> dict[str, str]:
    """The globals to set for ``theme``; empty where the project declares no such theme.

    A value that was only guessed could break a story, hence nothing is set unless the project
    names the global and, without configuration, a value called light or dark.
    """
    if name not in declared.values and name not in declared.types:
        return {}
    if theme in configured:
        return {name: configured[theme]}
    known = [*_toolbar_values(declared.types.get(name)), *declared.offered]
    initial = declared.values.get(name)
    # A project that declares no choices but starts in one of the two knows the other one too.
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
