"""Safe output of untrusted text on a terminal or in a job's log."""

import re
from typing import Final

BIDI_CONTROLS: Final = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)


def printable(text: str) -> str:
    """Return ``text`` with replacements for characters that could control a terminal.

    Names and messages come from the authors of stories and files, and from servers. Characters
    changing the direction of the text are shown as code points, since the hidden text looks
    harmless without them.
    """
    return "".join(letter if letter.isprintable() else _symbol(letter) for letter in text)


def _symbol(letter: str) -> str:
    if letter in BIDI_CONTROLS:
        return f"\u27e8U+{ord(letter):04X}\u27e9"
    return "\N{REPLACEMENT CHARACTER}"


# Disable text in a job's log if a CI system would obey the text as a command; pure.
#
# CI systems obey lines of the log: GitHub ``::add-mask::``, Azure ``##vso[...]``, TeamCity
# ``##teamcity[...]``, Buildkite ``---``, GitLab and Travis fold markers. Names of stories, branches
# and files come from the authors of pull requests, so no line of ours may become a command.

REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"
_CSI: Final = r"\x1b\[[0-9;?]*[A-Za-z]"
# Conceals text; Jenkins reads the text after the sequence as an encoded object.
_CONCEAL: Final = r"\x1b\[(?:\d*;)*0*8[;m]"
_CONTROL: Final = r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
# Colors are kept where the log may be colored, and on a terminal also moves of the cursor.
_CONTROLS_IN_LOG: Final = re.compile(rf"(?!{_CONCEAL})(?P<kept>\x1b\[[0-9;]*m)|{_CONTROL}")
_CONTROLS_ON_TERMINAL: Final = re.compile(rf"(?!{_CONCEAL})(?P<kept>{_CSI}|\r)|{_CONTROL}")
_COMMAND: Final = re.compile(
    # Read anywhere in a line, by some systems.
    r"##(?:vso|teamcity)?\[|section_(?:start|end):|travis_(?:fold|time):"
    # Read where a line begins, after spaces and colors.
    rf"|(?:(?<![^\r\n])(?:[^\S\r\n]|{_CSI}|\x00)*)(?:::|---|\+\+\+|~~~|\^\^\^)",
    re.IGNORECASE,
)


def escape_commands(text: str) -> str:
    """Insert a space before the last character of each command marker.

    No marker is recognized before its last character, so a line may also be escaped piece by piece:
    written text stays unchanged.
    """
    return _COMMAND.sub(lambda found: f"{found[0][:-1]} {found[0][-1]}", text)


def replace_controls(text: str, *, terminal: bool) -> str:
    """Replace characters with an effect on the reader of the output, other than colors."""
    pattern = _CONTROLS_ON_TERMINAL if terminal else _CONTROLS_IN_LOG
    return pattern.sub(lambda found: found["kept"] or REPLACEMENT, text)


def escape_json(text: str) -> str:
    """Escape markers in the strings of an indented JSON document without changing their value."""
    return _COMMAND.sub(lambda found: f"{found[0][:-1]}\\u{ord(found[0][-1]):04x}", text)


class LineEscaper:
    """Escapes output arriving in pieces of any length."""

    def __init__(self, *, terminal: bool) -> None:
        self._terminal = terminal
        self._line = ""

    def escape(self, text: str) -> str:
        """Return the text to write for the next piece."""
        piece = replace_controls(text, terminal=self._terminal)
        written = escape_commands(self._line)
        escaped = escape_commands(self._line + piece)
        start = max(piece.rfind("\n"), piece.rfind("\r")) + 1
        self._line = piece[start:] if start else self._line + piece
        return escaped[len(written) :]
