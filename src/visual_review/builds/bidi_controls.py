"""Bidirectional control characters, shown as symbols.

Controls reverse or hide the text that follows, so a title could look like another title ("Trojan
Source"). Stored values and JSON keep the controls; only texts for people show the symbols.
"""

import re
from typing import Final

CONTROLS: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def show_bidi_controls(text: str) -> str:
    """Replace each control by its code point, such as ``⟨U+202E⟩``."""
    return CONTROLS.sub(lambda match: f"\u27e8U+{ord(match[0]):04X}\u27e9", text)
