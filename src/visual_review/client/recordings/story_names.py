"""Finds the story that a step of a test names; pure functions.

Storybook shows a story at ``?path=/story/ID`` (or ``/docs/ID``) and renders it alone at
``iframe.html?id=ID``. Storybook builds the ID from title and name: ``components-button--primary``.
"""

import re
from typing import Final
from urllib.parse import unquote

STORY_ID_LENGTH: Final = 500
_ID: Final = r"[^\W_]+(?:-[^\W_]+)*--[^\W_]+(?:-[^\W_]+)*"
_IN_URL: Final = (
    re.compile(rf"[?&]path=/(?:story|docs)/({_ID})"),
    re.compile(rf"iframe(?:\.html)?\?(?:[^\s#]*&)?id=({_ID})"),
)
# Not after a dot or dash: CSS classes and command-line options look similar.
_IN_TEXT: Final = re.compile(rf"(?<![\w.#/=-])({_ID})(?![\w-])")


def find_story_id(title: str) -> str:
    """Return the ID of the story that ``title`` names, empty if it names none."""
    text = unquote(title[: STORY_ID_LENGTH * 4])
    for pattern in (*_IN_URL, _IN_TEXT):
        if found := pattern.search(text):
            return found[1][:STORY_ID_LENGTH]
    return ""
