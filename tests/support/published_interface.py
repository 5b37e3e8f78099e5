"""Read the table of actions in the document of the published interface."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).with_name("ACTIONS.md")
HEADER = "| Action | Permission | Request fields | Behaviour |"
# Each pattern removes its part of a field's description; the rest was not understood.
SEPARATOR = re.compile(r";(?![^(]*\))")
OBJECTS = re.compile(r"array of objects each with req numbers ([\w, ]+), each (\d)\.\.(\d)$")
ARRAY = re.compile(r"\barray of ([\w/]+)$")
TYPE = re.compile(r"\b(string|integer|boolean)\b")
REQUIRED = re.compile(r"\breq\b")
DEFAULT = re.compile(r"\bdefault ('[^']*'|-?\d+)")
BOUNDS = re.compile(r"\bschema bounds (-?\d+)\.\.(-?\d+)")
LENGTH = re.compile(r"\bmin length (\d+)")
FORM = re.compile(r"\bform [\w/]+")
CHOICE = re.compile(r"\(([a-z]+(?:/[a-z]+)+)\)|\b([a-z]+) or ([a-z]+)\b")


def read_table(document: str) -> dict[str, dict[str, Any]]:
    """Return ``permission`` and ``properties`` by action, in the order of the table.

    Raises ValueError for unknown text, so that nothing is skipped.
    """
    actions = {}
    for name, permission, fields, _ in _rows(document):
        properties = {} if fields == "none" else dict(map(_field, _fields(fields)))
        actions[name] = {"permission": permission, "properties": properties}
    return actions


def _rows(document: str) -> Iterator[list[str]]:
    lines = iter(document.splitlines())
    for line in lines:
        if line == HEADER:
            break
    else:
        raise ValueError(f"no table starts with {HEADER}")
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def _fields(text: str) -> list[str]:
    return [part.strip() for part in SEPARATOR.split(text.removesuffix("(all optional)"))]


def _field(text: str) -> tuple[str, dict[str, Any]]:
    name, _, rest = text.partition(" ")
    description = _Description(rest)
    field: dict[str, Any] = {**_type(description)}
    if description.take(REQUIRED):
        field["required"] = True
    if default := description.take(DEFAULT):
        field["default"] = int(default[1]) if field["type"] == "integer" else default[1].strip("'")
    if bounds := description.take(BOUNDS):
        field |= {"minimum": int(bounds[1]), "maximum": int(bounds[2])}
    if length := description.take(LENGTH):
        field["minLength"] = int(length[1])
    description.take(FORM)
    if description.left:
        raise ValueError(f"'{description.left}' of the field '{text}' was not understood")
    return name, field


def _type(description: "_Description") -> dict[str, Any]:
    if found := description.take(OBJECTS):
        bounds = {"minimum": int(found[2]), "maximum": int(found[3])}
        number = {"type": "number", "required": True, **bounds}
        return {"type": "array", "items": dict.fromkeys(found[1].split(", "), number)}
    if found := description.take(ARRAY):
        return {"type": "array", "items": found[1].split("/")}
    if found := description.take(TYPE):
        return {"type": found[1]}
    if found := description.take(CHOICE):
        choices = found[1].split("/") if found[1] else [found[2], found[3]]
        return {"type": "string", "enum": choices}
    raise ValueError(f"'{description.left}' names no type")


class _Description:
    """The description of a field; ``take`` removes the understood part."""

    def __init__(self, text: str) -> None:
        self._text = text

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        found = pattern.search(self._text)
        if found:
            self._text = self._text[: found.start()] + self._text[found.end() :]
        return found

    @property
    def left(self) -> str:
        return self._text.strip(" (),;")
