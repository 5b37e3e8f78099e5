"""Words of others in the Markdown of source hosts, so that nothing in them fires; pure.

Hosts look for mentions, references, links, commands and markup in all text but code. So names
become code spans, and what somebody wrote becomes a code block inside a quotation: every line of
it begins with a mark of ours, hence none is a command at the beginning of a line.
"""

import re
import textwrap
from typing import Final

from visual_review.builds.notifying.statuses import clip

NAME_LENGTH: Final = 200
# Code blocks do not wrap, so that long sentences would have to be scrolled.
COLUMNS: Final = 100
_TICKS: Final = re.compile("`+")
# They turn the direction of what stands behind them, beyond the quotation too.
_TURNING: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_UNSEEN: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")


def mark(kind: str, message_id: str) -> str:
    """What a comment is found by again; readers do not see it."""
    return f"<!-- visual-review:{kind}:{message_id} -->"


def code(text: str, most: int = NAME_LENGTH) -> str:
    """A name as a code span on one line."""
    line = clip(_without_tricks(text), most) or "?"
    fence = "`" * (_longest_run(line) + 1)
    # A space inside keeps a tick of the name apart from ours; hosts take it away again.
    inner = f" {line} " if line.startswith("`") or line.endswith("`") else line
    return f"{fence}{inner}{fence}"


def quotation(text: str) -> str:
    """What somebody wrote: a quotation that holds one block of code."""
    lines = [part for line in _without_tricks(text).splitlines() for part in _wrapped(line)]
    fence = "`" * max(3, _longest_run(text) + 1)
    return "\n".join(f"> {line}".rstrip() for line in (f"{fence}text", *lines, fence))


def attribute(text: str, most: int = NAME_LENGTH) -> str:
    """A text inside the quotes of an attribute; only letters, digits and spaces stay as they are."""
    line = clip(_without_tricks(text), most)
    return "".join(sign if sign.isalnum() or sign == " " else f"&#{ord(sign)};" for sign in line)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(
        line, COLUMNS, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    ) or [""]


def _without_tricks(text: str) -> str:
    return _UNSEEN.sub("", _TURNING.sub("", text))


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
