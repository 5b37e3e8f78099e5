"""What any JSON value must keep to before a door hands it on, whichever door it was."""

import math
import re
from typing import Any

from visual_review.kernel.errors import InvalidInputError

MAX_DEPTH = 50
SHOWN_PLACE = 200
# PostgreSQL stores neither, and UTF-8 has no form for the second.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

# The way to a value, innermost part first. Pointers are written for refusals only: one for
# every value would let a small body of long names take any amount of memory.
Path = tuple["Path", str | int] | None


def refuse_unfit(value: Any) -> None:  # noqa: ANN401 - Any parsed JSON.
    """Raise InvalidInputError, naming the place, where ``value`` cannot be stored or walked.

    That is: a NUL character or half a surrogate pair in a string or property name, a number
    that is not finite, or objects and arrays nested deeper than ``MAX_DEPTH``.
    """
    # A list of what waits instead of recursion: depth is the sender's, and Python's stack is small.
    waiting: list[tuple[Path, int, Any]] = [(None, 0, value)]
    while waiting:
        path, depth, item = waiting.pop()
        if isinstance(item, str):
            _check_text(path, item)
        elif isinstance(item, float):
            _check_finite(path, item)
        elif isinstance(item, dict | list):
            if depth >= MAX_DEPTH:
                raise _refusal(path, f"is nested deeper than {MAX_DEPTH} levels")
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            for key, child in pairs:
                _check_text(path, str(key))
                waiting.append(((path, key), depth + 1, child))


def pointer(parts: tuple[str | int, ...]) -> str:
    """The JSON pointer of a way from the top (RFC 6901); the top itself is empty."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _check_text(path: Path, text: str) -> None:
    found = _UNSTORABLE.search(text)
    if found is None:
        return
    name = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
    raise _refusal(path, f"holds {name} at position {found.start()}, which cannot be stored")


def _check_finite(path: Path, number: float) -> None:
    if not math.isfinite(number):
        raise _refusal(path, "is a number that JSON cannot hold")


def _refusal(path: Path, fault: str) -> InvalidInputError:
    parts: list[str | int] = []
    while path is not None:
        path, part = path
        parts.append(part)
    place = pointer(tuple(reversed(parts)))
    shown = f"'{place[:SHOWN_PLACE]}'" if place else "The body"
    return InvalidInputError(f"{shown} {fault}.", [(place, fault)])
