"""Reads the tables of a configuration file key by key; an unread key is refused."""

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn, TypeVar

from visual_review.client.capture import CaptureError
from visual_review.client.capture.results import StoryRule
from visual_review.client.capture.themes import MEDIA, ThemeSetting
from visual_review.client.configuration.model import CaptureConfiguration
from visual_review.variants import DEVICES, THEMES, Device, Viewport

HEADER: Final = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")
KEY: Final = re.compile(r"\s*[\"']?([\w.-]+)[\"']?\s*=")
WAYS: Final = ("global", "class", "attribute", "add-on", "media")
ADD_ON: Final = "storybook-dark-mode"
DEVICE_NAMES: Final[tuple[Device, ...]] = tuple(DEVICES)
LARGEST_SIDE: Final = 8192
LONGEST_DELAY: Final = 60_000


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


def read_capture(table: Table) -> CaptureConfiguration:
    themes, devices = table.table("themes"), table.table("devices")
    configuration = CaptureConfiguration(
        themes=themes.choices("use", THEMES),
        candidates=_read_candidates(themes),
        devices=devices.choices("use", DEVICE_NAMES),
        sizes=_read_sizes(devices),
        stories=tuple(_read_story(each) for each in table.tables("stories")),
    )
    for each in (table, themes, devices):
        each.finish()
    return configuration


def _read_candidates(themes: Table) -> tuple[ThemeSetting, ...]:
    listed = themes.tables("candidates")
    own = [way for way in WAYS if themes.has(way)]
    if own and listed:
        themes.fail(own[0], "cannot be combined with candidates; make it the first of them")
    candidates = [_read_way(each) for each in listed]
    # Also read after listed candidates, so that all keys of the table are known.
    first = _read_way(themes, required=False)
    for each in listed:
        each.finish()
    return tuple(each for each in (first, *candidates) if each is not None)


def _read_way(table: Table, *, required: bool = True) -> ThemeSetting | None:
    """Return how the theme is switched: by exactly one of the known ways."""
    ways = {way: table.string(way) for way in WAYS[:-1]}
    media = table.boolean("media")
    light, dark, target = (
        table.scalar("light"),
        table.scalar("dark"),
        table.string("target", "html"),
    )
    given = [way for way in WAYS if table.has(way)]
    if not given:
        if required or any(table.has(key) for key in ("light", "dark", "target")):
            key = next((key for key in ("light", "dark", "target") if table.has(key)), "global")
            table.fail(
                key,
                f"needs one of {', '.join(WAYS)} next to it" if table.has(key) else "is missing",
            )
        return None
    if len(given) > 1:
        table.fail(
            given[1], f"cannot be combined with {given[0]}; write [[capture.themes.candidates]]"
        )
    match given[0]:
        case "global" | "attribute" as way:
            if dark is None:
                table.fail("dark", f"is missing: the value of the {way} in the dark theme")
            return ThemeSetting(way, ways[way], light, dark, target)
        case "class":
            _refuse(table, "class", "dark")
            return ThemeSetting("class", "", light, ways["class"], target)
        case "add-on":
            if ways["add-on"] != ADD_ON:
                table.fail("add-on", f"is not {ADD_ON!r}; of other add-ons, name the global")
            return ThemeSetting("dark-mode-addon", "", light, dark, table.string("target", "body"))
        case _:
            if media is not True:
                table.fail("media", "is not true; leave it out instead")
            return MEDIA


def _refuse(table: Table, way: str, key: str) -> None:
    if table.has(key):
        table.fail(key, f"cannot be combined with {way}, which is the dark one already")


def _read_sizes(devices: Table) -> dict[Device, Viewport]:
    sizes: dict[Device, Viewport] = {}
    for name in DEVICE_NAMES:
        size = devices.table(name)
        if devices.has(name):
            sizes[name] = Viewport(
                size.integer("width", 1, LARGEST_SIDE), size.integer("height", 1, LARGEST_SIDE)
            )
            size.finish()
    return sizes


def _read_story(table: Table) -> StoryRule:
    ids = table.strings("id")
    if not ids:
        table.fail("id", "is missing: the ID of a story, or a pattern such as 'button--*'")
    rule = StoryRule(
        ids=ids,
        themes=table.choices("themes", THEMES),
        devices=table.choices("devices", DEVICE_NAMES),
        skip=table.boolean("skip"),
        delay=table.number("delay", 0, LONGEST_DELAY),
        threshold=table.number("threshold", 0, 1),
    )
    table.finish()
    return rule
