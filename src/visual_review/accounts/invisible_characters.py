"""Invisible characters, in the one definition shared by names, quotes and checks; pure.

Source: the property Default_Ignorable_Code_Point of Unicode 16, and the two symbols without ink.
White space and controls are not included, because ``str.isprintable`` knows them.
"""

import re
from typing import Final
from unicodedata import bidirectional, combining

# Parts of a character class with the same meaning in Python and in ECMA 262. The joiners (ZWNJ, ZWJ
# and the emoji selector) are apart, since between certain characters they have a visible effect.
JOINERS: Final = "\\u200c\\u200d\\ufe0f"
OTHERS: Final = (
    "\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f"
    "\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0\\ufff0-\\ufffb"
)
# Only for Python: ECMA 262 has another notation, and only with a flag.
_BEYOND: Final = (
    "\\ud800-\\udfff\\U0001bca0-\\U0001bca3\\U0001d159\\U0001d173-\\U0001d17a"
    "\\U000e0000-\\U000e0fff"
)
_INVISIBLE: Final = re.compile(f"[{JOINERS}{OTHERS}{_BEYOND}]")
_ZWNJ, _SELECTOR, _KEYCAP = "\u200c", "\ufe0f", "\u20e3"
# Roughly the possible emoji.
_EMOJI: Final = re.compile(
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23fa\u24c2\u25aa-\u25fe"
    "\u2600-\u27bf\u2934\u2935\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
# Canonical combining class of the sign joining consonants in scripts of India and its neighbors.
_VIRAMA: Final = 9
_EDGE: Final = " "


def is_invisible(character: str) -> bool:
    """Whether a character shows nothing of its own."""
    return _INVISIBLE.match(character) is not None


def hides_characters(text: str) -> bool:
    """Whether ``text`` would look the same without one of its characters."""
    around = f"{_EDGE}{text}{_EDGE}"
    return any(
        is_invisible(character) and not _has_effect(around[place], character, around[place + 2])
        for place, character in enumerate(text)
    )


def _has_effect(before: str, character: str, after: str) -> bool:
    """Whether ``character`` is a joiner with a visible effect on its neighbors.

    The rules for ZWNJ and ZWJ follow domain names (RFC 5892, A.1 and A.2), a little wider: Bengali
    has the joiner before the virama, and emoji are joined, too.
    """
    if character == _SELECTOR:
        return after == _KEYCAP or _EMOJI.match(before) is not None
    if re.match(f"[{JOINERS}]", character) is None or _EDGE in {before, after}:
        return False
    near_virama = _VIRAMA in {combining(before), combining(after)}
    if character == _ZWNJ:
        return near_virama or bidirectional(before) == bidirectional(after) == "AL"
    return near_virama or _joins_emoji(before, after)


def _joins_emoji(before: str, after: str) -> bool:
    is_emoji = before == _SELECTOR or _EMOJI.match(before) is not None
    return is_emoji and _EMOJI.match(after) is not None
