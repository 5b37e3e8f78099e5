"""Reads the tables of a configuration file key by key; an unread key is refused."""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeVar

from visual_review.client.capture import CaptureError

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
KEY: Final = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=")


def find_line(text: str, table: str, key: str, index: int = 0) -> int | None:
    """Return the line of ``key`` in ``table``, whose ``index``-th occurrence counts.

    Returns None if the file uses a rare notation, such as an inline table.
    """
    current, seen = "", -1
    name = _join(table, key)
    for number, line in enumerate(text.splitlines(), 1):
        if header := HEADER.fullmatch(line):
            current = header[2]
            seen += current == table
            # A table is the value of a key of the table above.
            if current == name:
                return number
        elif _is_key(line, current, name) and index == max(seen, 0):
            return number
    return None


def _join(table: str, key: str) -> str:
    return f"{table}.{key}".strip(".")


def _is_key(line: str, table: str, name: str) -> bool:
    found = KEY.match(line)
    return found is not None and _join(table, found[1]) == name


T = TypeVar("T", bound=str)
MISSING: Final = object()


@dataclass(frozen=True, slots=True)
class Source:
    """The file, for error messages."""

    name: str
    text: str


@dataclass
class Table:
    """One table; ``path`` is its name with dots. Every method raises ``ConfigurationError``."""

    source: Source
    path: str
    values: Mapping[str, Any]
    index: int = 0
    _known: set[str] = field(default_factory=set)

    def fail(self, key: str, problem: str) -> NoReturn:
        """Raise an error about a key, with the line of the key."""
        line = find_line(self.source.text, self.path, key, self.index)
        where = f"{self.source.name}, line {line}" if line else self.source.name
        name = f"{self.path}.{key}".strip(".")
        raise ConfigurationError(f"{where}: {name} {problem}.")

    def _get(self, key: str) -> object:
        self._known.add(key)
        return self.values.get(key, MISSING)

    def has(self, key: str) -> bool:
        return key in self.values

    def table(self, key: str) -> "Table":
        value = self._get(key)
        if value is MISSING:
            value = {}
        if not isinstance(value, dict):
            self.fail(key, "is not a table")
        return Table(self.source, f"{self.path}.{key}".strip("."), value)

    def tables(self, key: str) -> list["Table"]:
        value = self._get(key)
        if value is MISSING:
            return []
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self.fail(key, f"is not a list of tables; write [[{self.path}.{key}]]")
        path = f"{self.path}.{key}".strip(".")
        return [Table(self.source, path, each, index) for index, each in enumerate(value)]

    def string(self, key: str, default: str = "") -> str:
        value = self._get(key)
        if value is MISSING:
            return default
        if not isinstance(value, str) or not value.strip():
            self.fail(key, "is not a string, or it is empty")
        return value

    def strings(self, key: str) -> tuple[str, ...]:
        """Return a list of strings; one string is a list of one."""
        value = self._get(key)
        if value is MISSING:
            return ()
        items = [value] if isinstance(value, str) else value
        if not isinstance(items, list) or not items:
            self.fail(key, "is not a list of strings, or it is empty")
        if not all(isinstance(each, str) and each for each in items):
            self.fail(key, "has an item that is not a string, or is empty")
        return tuple(items)

    def choices(self, key: str, allowed: Sequence[T]) -> tuple[T, ...]:
        """Return the items of a list in the order of ``allowed``."""
        given = self.strings(key)
        for name in given:
            if name not in allowed:
                self.fail(key, f"has {name!r}; choose from {', '.join(allowed)}")
        return tuple(name for name in allowed if name in given)

    def scalar(self, key: str) -> str | int | float | bool | None:
        value = self._get(key)
        if value is MISSING:
            return None
        if not isinstance(value, str | int | float):
            self.fail(key, "is not a string, a number or a boolean")
        return value

    def boolean(self, key: str) -> bool | None:
        value = self._get(key)
        if value is MISSING:
            return None
        if not isinstance(value, bool):
            self.fail(key, "is not true or false")
        return value

    def number(self, key: str, lowest: float, highest: float) -> float | None:
        value = self._get(key)
        if value is MISSING:
            return None
        number = (
            value if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        )
        # The comparison is also false for a value other than a number.
        if not lowest <= number <= highest:
            self.fail(key, f"is not a number from {lowest:g} to {highest:g}")
        return number

    def integer(self, key: str, lowest: int, highest: int) -> int:
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool) or not lowest <= value <= highest:
            problem = f"an integer from {lowest} to {highest}"
            self.fail(
                key, f"is missing; it is {problem}" if value is MISSING else f"is not {problem}"
            )
        return value

    def finish(self) -> None:
        """Refuse the unread keys: a typing error must not go unnoticed."""
        for key in self.values:
            if key in self._known:
                continue
            similar = difflib.get_close_matches(key, self._known, 1)
            hint = (
                f"perhaps {similar[0]} is meant" if similar else f"known are {self._list_known()}"
            )
            self.fail(key, f"is not a known key; {hint}")

    def _list_known(self) -> str:
        return ", ".join(sorted(self._known))


class ConfigurationError(CaptureError):
    """An unusable configuration file; the message names the file and the line."""
