"""Safe output of untrusted text on a terminal or in a log."""

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
