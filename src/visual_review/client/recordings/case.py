"""One test case of a report, the case's texts for the service, and the story named in a step.

Storybook shows a story at ``?path=/story/ID`` (or ``/docs/ID``) and renders the story alone at
``iframe.html?id=ID``. Storybook builds the ID from title and name: ``components-button--primary``.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from visual_review.client.recordings.found_videos import Outcome
from visual_review.client.transport.errors import InputError

STORY_ID_LENGTH: Final = 500
_ID: Final = r"[^\W_]+(?:-[^\W_]+)*--[^\W_]+(?:-[^\W_]+)*"
_IN_URL: Final = (
    re.compile(rf"[?&]path=/(?:story|docs)/({_ID})"),
    re.compile(rf"iframe(?:\.html)?\?(?:[^\s#]*&)?id=({_ID})"),
)
# Not after a dot or dash: CSS classes and command-line options look similar.
_IN_TEXT: Final = re.compile(rf"(?<![\w.#/=-])({_ID})(?![\w-])")
# CSI sequences such as colors, and OSC sequences such as links.
_ANSI: Final = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]")
# Between a suite and the contents of the suite.
SEPARATOR: Final = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "
_WORD: Final = re.compile(r"[^\W_]+")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; ``attached`` are the files named in the case's output."""

    name: str
    suite: str
    file: str
    outcome: Outcome
    error: str = ""
    duration_ms: int = 0
    ran_at: str = ""
    attached: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return SEPARATOR.join(filter(None, (self.suite, self.name)))


def clean(text: str) -> str:
    """Return ``text`` without colors, control characters and lone surrogates; lines stay."""
    plain = _ANSI.sub("", text).replace("\r\n", "\n")
    # A report may contain lone surrogates, which UTF-8 cannot encode.
    return _CONTROL.sub("", plain).encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def slugify(text: str) -> str:
    """Return the words of ``text`` in lower case, with dashes between and around the words."""
    return f"-{'-'.join(_WORD.findall(text.casefold()))}-"


class ReportError(InputError):
    """An unreadable test report; the message names the file and the position in the file."""


def find_story_id(title: str) -> str:
    """Return the ID of the story named in ``title``, empty without a story."""
    text = unquote(title[: STORY_ID_LENGTH * 4])
    for pattern in (*_IN_URL, _IN_TEXT):
        if found := pattern.search(text):
            return found[1][:STORY_ID_LENGTH]
    return ""
