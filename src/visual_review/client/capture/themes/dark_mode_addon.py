"""The add-on storybook-dark-mode and its successors, which switch the preview from outside."""

from collections.abc import Mapping
from typing import Any, Final

from visual_review.client.capture.themes.setting import ThemeSetting

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
