"""Reads JSON and XML reports of any schema; errors name the position in the file."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final, Self
from xml.etree.ElementTree import Element as Node
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import iterparse

from visual_review.client.recordings.case_index import ReportError, clean

LARGEST_REPORT: Final = 256 * 1024 * 1024
# A year; longer times are not real measurements.
LONGEST_MS: Final = 365 * 24 * 3600 * 1000
_TYPE_NAMES: Final = {str: "a string", bool: "a boolean", list: "a list", dict: "an object"}


def read_report_bytes(report: Path) -> bytes:
    """Read the whole report. Raises ReportError for an unreadable or too large report."""
    try:
        if report.stat().st_size > LARGEST_REPORT:
            raise ReportError(
                f"{report} is larger than {LARGEST_REPORT // 1024 // 1024} MB. "
                "Is it a report? Write attachments to files instead of into the report."
            )
        return report.read_bytes()
    except OSError as error:
        raise ReportError(f"{report} cannot be read: {error.strerror or error}.") from error


class JsonNode:
    """A value of the report; ``path`` is the position, such as ``suites[0].specs``."""

    def __init__(self, value: object, report: Path, path: str = "") -> None:
        self._value = value
        self._report = report
        self._path = path

    @classmethod
    def read(cls, report: Path) -> Self:
        """Return the report's root, an object. Raises ReportError."""
        try:
            value = json.loads(read_report_bytes(report))
        except json.JSONDecodeError as error:
            raise ReportError(
                f"{report}, line {error.lineno}, column {error.colno}: {error.msg}."
            ) from error
        # Other encodings, numbers with thousands of digits, and too deeply nested brackets.
        except (ValueError, RecursionError) as error:
            raise ReportError(f"{report} is not valid JSON: {error}.") from error
        root = cls(value, report)
        root.members()
        return root

    def members(self) -> Mapping[str, Any]:
        if not isinstance(self._value, dict):
            raise self.type_error("an object")
        return self._value

    def has(self, key: str) -> bool:
        return self.members().get(key) is not None

    def child(self, key: str) -> "JsonNode":
        """Return the value of ``key``; an empty object without one."""
        value = self.members().get(key)
        return JsonNode({} if value is None else value, self._report, self._child_path(key))

    def items(self, key: str) -> Iterator["JsonNode"]:
        """Yield the items of the list at ``key``; none without a list."""
        value = self.members().get(key)
        if value is None:
            return
        if not isinstance(value, list):
            raise self.child(key).type_error("a list")
        for number, item in enumerate(value):
            yield JsonNode(item, self._report, f"{self._child_path(key)}[{number}]")

    def text(self, key: str) -> str:
        """Return the cleaned string at ``key``; empty without one."""
        value = self.members().get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.child(key).type_error("a string")
        return clean(value)

    def number(self, key: str) -> int:
        """Return the number at ``key``, rounded down, from 0 to a year in ms; 0 without one."""
        value = self.members().get(key)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.child(key).type_error("a number")
        # NaN becomes 0.
        return int(min(value, LONGEST_MS)) if value > 0 else 0

    def is_true(self, key: str) -> bool:
        return self.members().get(key) is True

    def _child_path(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def type_error(self, expected: str) -> ReportError:
        """Return the error that this value has the wrong type."""
        found = _TYPE_NAMES.get(type(self._value), "nothing" if self._value is None else "a number")
        where = self._path or "the root"
        return ReportError(f"{self._report}, {where}: expected {expected}, found {found}.")


# Reads XML reports without document types, and so without entities.
#
# Entities can expand a short file to gigabytes, or read another file. No JUnit reporter uses
# entities.

MAX_DEPTH: Final = 100


@dataclass(frozen=True, slots=True)
class Element:
    node: Node

    @property
    def name(self) -> str:
        """The name without the namespace declared by some reporters."""
        return self.node.tag.rpartition("}")[2]

    @property
    def children(self) -> list["Element"]:
        return [Element(child) for child in self.node]

    @property
    def text(self) -> str:
        pieces = (self.node.text, *(child.tail for child in self.node))
        return clean("".join(filter(None, pieces)))

    def get(self, name: str) -> str:
        return clean(self.node.get(name, ""))

    def named(self, *names: str) -> list["Element"]:
        return [child for child in self.children if child.name in names]


def read_xml(report: Path) -> Element:
    """Return the root element. Raises ReportError with line and column."""
    document = read_report_bytes(report)
    try:
        return Element(_parse(report, document))
    except ParseError as error:
        line, column = error.position
        reason = expat.ErrorString(error.code)
        raise ReportError(f"{report}, line {line}, column {column + 1}: {reason}.") from error
    except DefusedXmlException as error:
        line = 1 + document[: document.find(b"<!DOCTYPE")].count(b"\n")
        raise ReportError(
            f"{report}, line {line}: a document type is not allowed, since it can define "
            "entities. JUnit reports have none."
        ) from error
    # Unknown encodings, or encodings other than text encodings.
    except (LookupError, ValueError) as error:
        raise ReportError(f"{report} is not valid XML: {error}.") from error


def _parse(report: Path, document: bytes) -> Node:
    root: Node | None = None
    depth = 0
    events = iterparse(BytesIO(document), ("start", "end"), forbid_dtd=True)
    for event, node in events:
        root = node if root is None else root
        depth += 1 if event == "start" else -1
        if depth > MAX_DEPTH:
            raise ReportError(f"{report}: elements are nested deeper than {MAX_DEPTH}.")
    if root is None:
        raise ReportError(f"{report} is not valid XML: it has no element.")
    return root
