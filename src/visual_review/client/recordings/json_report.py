"""Reads JSON reports of any schema; errors name the position in the file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from visual_review.client.recordings.case import ReportError, clean

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
