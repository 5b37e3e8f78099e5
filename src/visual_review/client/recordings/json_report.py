"""Reads JSON reports of any shape: what is not as expected is told with its place in the file."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Self

from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.text_fields import clean

LARGEST_REPORT: Final = 256 * 1024 * 1024
# A year; what lasts longer was not measured.
LONGEST_MS: Final = 365 * 24 * 3600 * 1000
_KINDS: Final = {str: "a text", bool: "a truth value", list: "a list", dict: "an object"}


def bytes_of(report: Path) -> bytes:
    """The whole report. Raises ReportError for what is no readable file of a bearable size."""
    try:
        if report.stat().st_size > LARGEST_REPORT:
            raise ReportError(
                f"{report} is larger than {LARGEST_REPORT // 1024 // 1024} MB. "
                "Is it a report? Keep attachments in files instead of inside it."
            )
        return report.read_bytes()
    except OSError as error:
        raise ReportError(f"{report} cannot be read: {error.strerror or error}.") from error


class Place:
    """A value of the report; ``where`` is its path, such as ``suites[0].specs``."""

    def __init__(self, value: object, report: Path, where: str = "") -> None:
        self._value = value
        self._report = report
        self._where = where

    @classmethod
    def read(cls, report: Path) -> Self:
        """The report's root, an object. Raises ReportError."""
        try:
            value = json.loads(bytes_of(report))
        except json.JSONDecodeError as error:
            raise ReportError(
                f"{report}, line {error.lineno}, column {error.colno}: {error.msg}."
            ) from error
        # Other encodings, numbers of thousands of digits, and brackets nested without end.
        except (ValueError, RecursionError) as error:
            raise ReportError(f"{report} is no readable JSON: {error}.") from error
        root = cls(value, report)
        root.members()
        return root

    def members(self) -> Mapping[str, Any]:
        if not isinstance(self._value, dict):
            raise self.unlike("an object")
        return self._value

    def has(self, key: str) -> bool:
        return self.members().get(key) is not None

    def at(self, key: str) -> "Place":
        """What is at ``key``; an empty object where nothing is."""
        value = self.members().get(key)
        return Place({} if value is None else value, self._report, self._joined(key))

    def items(self, key: str) -> Iterator["Place"]:
        """The members of a list; none where nothing is."""
        value = self.members().get(key)
        if value is None:
            return
        if not isinstance(value, list):
            raise self.at(key).unlike("a list")
        for number, item in enumerate(value):
            yield Place(item, self._report, f"{self._joined(key)}[{number}]")

    def text(self, key: str) -> str:
        """Cleaned; empty where nothing is."""
        value = self.members().get(key)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.at(key).unlike("a text")
        return clean(value)

    def number(self, key: str) -> int:
        """Rounded down, between 0 and a year of milliseconds; 0 where nothing is."""
        value = self.members().get(key)
        if value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.at(key).unlike("a number")
        # Written so that a NaN becomes 0.
        return int(min(value, LONGEST_MS)) if value > 0 else 0

    def truth(self, key: str) -> bool:
        return self.members().get(key) is True

    def _joined(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def unlike(self, expected: str) -> ReportError:
        """The error that something else stands at this place."""
        found = _KINDS.get(type(self._value), "nothing" if self._value is None else "a number")
        where = self._where or "the whole"
        return ReportError(f"{self._report}, {where}: {found} stands where {expected} should be.")
