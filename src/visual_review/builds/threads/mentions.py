"""Members mentioned in a comment: ``@`` and their name or email address; pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

# Not in the middle of a word, as in an email address, nor in code.
_MENTION: Final = re.compile(r"(?<![\w.@/+-])@(?=\w)")
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_WORD: Final = re.compile(r"[\w.@+-]*\w")
MOST_UNKNOWN: Final = 10
# Each is compared with every member, while the comment's transaction is open.
MOST_MENTIONS: Final = 50


@dataclass(frozen=True)
class Person:
    """A member who can be mentioned."""

    id: str
    name: str
    email: str


@dataclass(frozen=True)
class Mentions:
    """Ids of the members, and words after an ``@`` without a member, in the order of the text."""

    people: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def find_mentions(text: str, members: Iterable[Person]) -> Mentions:
    """Return the mentions in ``text``; of several possible names, the longest is meant.

    A name of two members means both. Text in code is no mention, and only the first
    ``MOST_MENTIONS`` are looked up.
    """
    named: dict[str, list[str]] = {}
    for person in members:
        for name in {person.name.casefold(), person.email.casefold()} - {""}:
            named.setdefault(name, []).append(person.id)
    longest_first = sorted(named, key=len, reverse=True)
    plain = _CODE.sub(lambda code: " " * len(code[0]), text)
    people: dict[str, None] = {}
    unknown: dict[str, None] = {}
    for found in islice(_MENTION.finditer(plain), MOST_MENTIONS):
        rest = plain[found.end() :]
        fitting = [each for each in longest_first if _begins_with(rest, each)]
        if fitting:
            people.update(dict.fromkeys(named[fitting[0]]))
        elif word := _WORD.match(rest):
            unknown[word[0][:80]] = None
    return Mentions(tuple(people), tuple(unknown)[:MOST_UNKNOWN])


def _begins_with(text: str, name: str) -> bool:
    """Return whether the text begins with the whole name, not with a longer word."""
    if text[: len(name)].casefold() != name:
        return False
    return not re.match(r"\w|[.@+-]\w", text[len(name) :])
