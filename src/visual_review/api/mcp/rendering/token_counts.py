"""An upper estimate of the tokens that a text costs a model; pure.

Tokenizers differ and their vocabularies are not available here. All of them split text into runs
of letters, digits and other characters, and merge what is frequent within a run. So this counts
three lowercase letters, two other characters or a single digit as one token, and every byte
beyond ASCII as one, which no tokenizer that works on bytes exceeds.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from string import ascii_lowercase, ascii_uppercase, punctuation
from typing import Any, Final, TypeVar

from visual_review.actions.schema import MOST_ROWS

T = TypeVar("T")
# Of lists that end at their limit.
OLDER: Final = f"There are older {{}}; a higher limit returns more, up to {MOST_ROWS:,}."


def limit_lines(
    items: Sequence[T], write: Callable[[T], str], budget: int, what: str
) -> Iterator[str]:
    """Write the first items in ``budget`` tokens, then how many of ``what`` are left out."""
    left = budget
    uncounted: list[str] = []
    most = 0
    for index, item in enumerate(items):
        line = write(item)
        # No text has more tokens than bytes, so the first lines fit whatever they are.
        most += len(line.encode())
        if most > left:
            left -= sum(map(count_tokens, (*uncounted, line)))
            if left < 0:
                yield f"- and {len(items) - index:,} more {what}, not listed here"
                return
            uncounted, most = [], 0
        else:
            uncounted.append(line)
        yield line


# Every byte by its kind: a lowercase letter, an uppercase one, other ASCII, or itself.
_KINDS: Final = bytes.maketrans(
    (ascii_lowercase + ascii_uppercase + punctuation).encode(), b"a" * 26 + b"A" * 26 + b"!" * 32
)
_RUNS: Final = ((b"aaa", b"b"), (b"aa", b"b"), (b"a", b"b"), (b"!!", b"?"))
# An uppercase letter counts with the letters after it, a space with the character after it.
_JOINED: Final = (b"Ab", b" b", b" A", b" ?", b" !")

LONGEST_PIECE: Final = 5


def count_tokens(text: str) -> int:
    """Return an upper estimate of the tokens of ``text``."""
    return count_encoded_tokens(text.encode())


def count_encoded_tokens(text: bytes) -> int:
    """Return an upper estimate of the tokens of ``text``, which is in UTF-8."""
    # A regular expression would be clearer, but took half the time of a call.
    pieces = text.translate(_KINDS)
    for run, piece in _RUNS:
        pieces = pieces.replace(run, piece)
    return len(pieces) - sum(map(pieces.count, _JOINED))


def fits(value: Any, budget: int) -> bool:  # noqa: ANN401 - Any JSON.
    """Whether ``value`` takes at most ``budget`` tokens as JSON."""
    return fits_encoded(dump_json(value).encode(), budget)


def fits_encoded(text: bytes, budget: int) -> bool:
    """Whether ``text`` takes at most ``budget`` tokens; fast for what is far too long."""
    if len(text) > budget * LONGEST_PIECE:
        return False
    # Counting takes a tenth of a call; what is short fits even without the shorter pieces.
    kinds = text.translate(_KINDS)
    most = len(text) - 2 * kinds.count(b"aaa") - kinds.count(b"!!")
    return most <= budget or count_encoded_tokens(text) <= budget


def count_json_tokens(value: Any) -> int:  # noqa: ANN401 - Any JSON.
    """Return an upper estimate for ``value`` as JSON, as clients give it to their model."""
    return count_tokens(dump_json(value))


def dump_json(value: Any) -> str:  # noqa: ANN401 - Any JSON.
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
