"""Texts of others as data: quoted, on one line, short, with nothing in them unseen; pure."""

import json
import re
from typing import Final

# In bytes as shown. Enough to recognize a text, too little to bury the rest of an answer.
SHOWN: Final = 160
PERSON: Final = 60
# Links of storages with their signatures are long.
ADDRESS: Final = 2000
_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@+-]{0,79}")
# Marks and fillers that count as printable and show nothing; whole messages hide in them.
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)


def named(text: str) -> str:
    """``text`` as it is where it can only be a name, else quoted."""
    return text if _PLAIN.fullmatch(text) else quoted(text)


def address(text: str) -> str:
    """``text`` whole where it can only be an address, since half of one leads nowhere."""
    # A space or a line break would end the address, and what follows would pass for our words.
    plain = text.isascii() and text.isprintable() and " " not in text
    return text if plain and len(text) <= ADDRESS else named(text)


def quoted(text: str, room: int = SHOWN) -> str:
    """``text`` as one JSON string of at most ``room`` bytes; what was cut is counted behind it."""
    shown: list[str] = []
    for sign in text:
        visible = _visible(sign)
        room -= len(visible.encode())
        if room < 0:
            break
        shown.append(visible)
    left = len(text) - len(shown)
    return f'"{"".join(shown)}"' + (f" (and {left:,} more characters)" if left else "")


def _visible(sign: str) -> str:
    if sign in {'"', "\\"} or not sign.isprintable() or _UNSEEN.match(sign):
        return json.dumps(sign)[1:-1]
    return sign
