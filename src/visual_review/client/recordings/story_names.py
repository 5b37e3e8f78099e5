"""Finds the story that a step of a test names; pure.

Storybook shows a story at ``?path=/story/ID`` (or ``/docs/ID``) and renders it alone at
``iframe.html?id=ID``. An id is what Storybook makes of title and name: ``components-button--primary``.
"""

import re
from typing import Final
from urllib.parse import unquote

STORY_ID_LENGTH: Final = 500
_ID: Final = r"[^\W_]+(?:-[^\W_]+)*--[^\W_]+(?:-[^\W_]+)*"
_ADDRESSED: Final = (
    re.compile(rf"[?&]path=/(?:story|docs)/({_ID})"),
    re.compile(rf"iframe(?:\.html)?\?(?:[^\s#]*&)?id=({_ID})"),
)
# Not after a dot or dash: names of classes and options of commands look alike.
_NAMED: Final = re.compile(rf"(?<![\w.#/=-])({_ID})(?![\w-])")


def story_of(title: str) -> str:
    """The id of the story that ``title`` names, empty if it names none."""
    text = unquote(title[: STORY_ID_LENGTH * 4])
    for pattern in (*_ADDRESSED, _NAMED):
        if found := pattern.search(text):
            return found[1][:STORY_ID_LENGTH]
    return ""
