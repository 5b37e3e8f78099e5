"""Escape user-written text for the Markdown of Git providers; pure.

Providers interpret mentions, references, links, commands and markup everywhere except in code. So
names become code spans, and a user's text becomes a code block inside a blockquote: every line of
the text begins with our ``>``, so no line can begin with a command.
"""

import re
import textwrap
from typing import Final

from visual_review.builds.bidi_controls import show_bidi_controls
from visual_review.builds.notifying.statuses import truncate_line

NAME_LENGTH: Final = 200
# Code blocks do not wrap, so long lines would have to be scrolled.
COLUMNS: Final = 100
_TICKS: Final = re.compile("`+")
_INVISIBLE: Final = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")


def comment_marker(kind: str, message_id: str) -> str:
    """Return the hidden marker for finding a comment again."""
    return f"<!-- visual-review:{kind}:{message_id} -->"


def code_span(text: str, limit: int = NAME_LENGTH) -> str:
    """Return a name as a code span on one line."""
    line = truncate_line(_without_control_characters(text), limit) or "?"
    fence = "`" * (_longest_run(line) + 1)
    # A space separates the name's own backtick from ours; providers strip the space.
    inner = f" {line} " if line.startswith("`") or line.endswith("`") else line
    return f"{fence}{inner}{fence}"


def quote_block(text: str) -> str:
    """Return a user's text as a blockquote with one code block."""
    lines = [
        part for line in _without_control_characters(text).splitlines() for part in _wrapped(line)
    ]
    fence = "`" * max(3, _longest_run(text) + 1)
    return "\n".join(f"> {line}".rstrip() for line in (f"{fence}text", *lines, fence))


def escape_attribute(text: str, limit: int = NAME_LENGTH) -> str:
    """Escape text for a quoted attribute: everything except letters, digits and spaces."""
    line = truncate_line(_without_control_characters(text), limit)
    return "".join(char if char.isalnum() or char == " " else f"&#{ord(char)};" for char in line)


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(
        line, COLUMNS, replace_whitespace=False, break_long_words=False, break_on_hyphens=False
    ) or [""]


def _without_control_characters(text: str) -> str:
    # Bidirectional controls change the direction of text even outside the quote.
    return _INVISIBLE.sub("", show_bidi_controls(text))


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
