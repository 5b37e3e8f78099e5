"""Checks of every JSON value, from any interface."""

import math
import re
from typing import Any

from visual_review.kernel.errors import InvalidInputError

MAX_DEPTH = 50
# Longer pointers are truncated in messages.
SHOWN_POINTER = 200
# PostgreSQL stores neither, and UTF-8 cannot encode the second.
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")

# The path to a value, innermost part first. JSON pointers are built for errors only: one for
# every value would let a small body of long names use any amount of memory.
Path = tuple["Path", str | int] | None


def check_storable(value: Any) -> None:  # noqa: ANN401 - Any parsed JSON.
    """Raise InvalidInputError, with a JSON pointer, if ``value`` cannot be stored or traversed.

    Such values have a NUL character or half a surrogate pair in a string or property name, a number
    that is not finite, or objects and arrays nested deeper than ``MAX_DEPTH``.
    """
    # A stack instead of recursion: the sender chooses the depth, and Python's own stack is small.
    waiting: list[tuple[Path, int, Any]] = [(None, 0, value)]
    while waiting:
        path, depth, item = waiting.pop()
        if isinstance(item, str):
            _check_text(path, item)
        elif isinstance(item, float):
            _check_finite(path, item)
        elif isinstance(item, dict | list):
            if depth >= MAX_DEPTH:
                raise _invalid(path, f"is nested deeper than {MAX_DEPTH} levels")
            pairs = item.items() if isinstance(item, dict) else enumerate(item)
            for key, child in pairs:
                _check_text(path, str(key))
                waiting.append(((path, key), depth + 1, child))


def json_pointer(parts: tuple[str | int, ...]) -> str:
    """Return the JSON pointer of a path (RFC 6901); the pointer of the whole value is empty."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def _check_text(path: Path, text: str) -> None:
    found = _UNSTORABLE.search(text)
    if found is None:
        return
    name = "a NUL character" if found[0] == "\0" else "half of a surrogate pair"
    raise _invalid(path, f"contains {name} at position {found.start()}, which cannot be stored")


def _check_finite(path: Path, number: float) -> None:
    if not math.isfinite(number):
        raise _invalid(path, "is a number that JSON cannot represent")


def _invalid(path: Path, problem: str) -> InvalidInputError:
    parts: list[str | int] = []
    while path is not None:
        path, part = path
        parts.append(part)
    pointer = json_pointer(tuple(reversed(parts)))
    shown = f"'{pointer[:SHOWN_POINTER]}'" if pointer else "The body"
    return InvalidInputError(f"{shown} {problem}.", [(pointer, problem)])
