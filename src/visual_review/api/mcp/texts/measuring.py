"""How many tokens a text may cost a model; pure, and rather too many than too few.

Tokenizers differ and their vocabularies are not at hand. All of them split text into runs of
letters, digits and other signs, and merge within a run what is frequent. So this counts three
lower-case letters, two other signs or a single digit for one token, and every byte beyond ASCII
for one, which no tokenizer that works on bytes exceeds.
"""

import json
import re
from typing import Any, Final

_PIECES: Final = re.compile(r" ?(?:[A-Z]?[a-z]{1,3}|[A-Z]|[!-/:-@\[-`{-~]{1,2})|.", re.DOTALL)

LONGEST_PIECE: Final = 5


def tokens(text: str) -> int:
    """An upper estimate of the tokens of ``text``."""
    beyond_ascii = 0 if text.isascii() else len(text.encode()) - len(text)
    return len(_PIECES.findall(text)) + beyond_ascii


def fits(value: Any, room: int) -> bool:  # noqa: ANN401 - Any JSON.
    """Whether ``value`` takes at most ``room`` tokens; quick to refuse what is far too long."""
    text = as_json(value)
    return len(text) <= room * LONGEST_PIECE and tokens(text) <= room


def json_tokens(value: Any) -> int:  # noqa: ANN401 - Any JSON.
    """The same of ``value`` as clients write it for their model."""
    return tokens(as_json(value))


def as_json(value: Any) -> str:  # noqa: ANN401 - Any JSON.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
