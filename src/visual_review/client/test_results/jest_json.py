"""Reads the JSON report of Jest and Vitest (``--reporter=json``); both have the same form."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case import ReportError, clean, one_line
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.test_results.model import (
    Status,
    TestResult,
    TestRun,
    TestScreenshot,
    shorten_error,
)

_STATUS: Final[dict[str, Status]] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}
_EXPECTED: Final = re.compile(r"^Reference screenshot:\s+(?P<path>\S.*\.png)$", re.MULTILINE)
_ACTUAL: Final = re.compile(r"^Actual screenshot:\s+(?P<path>\S.*\.png)$", re.MULTILINE)
_WRITTEN: Final = "a new one was created"
# jest-image-snapshot names the image of the differences.
_DIFFERENCE: Final = re.compile(r"__diff_output__[/\\]\S")


def read_jest_json(report: Path) -> TestRun:
    """Raises ReportError if the report is not complete."""
    root = JsonNode.read(report)
    if not (root.has("testResults") and root.has("numTotalTests")):
        raise ReportError(f"{report} is not a JSON report of Jest or Vitest (--reporter=json).")
    files = list(root.items("testResults"))
    tests = tuple(test for file in files for test in _read_file(file))
    failed = sum(test.status == "failed" for test in tests)
    errors = [
        f"{file.text('name')}: {shorten_error(file.text('message'))}"
        for file in files
        # A file with an error while loading has no tests.
        if file.text("status") == "failed" and not list(file.items("assertionResults"))
    ]
    return TestRun(
        report,
        report.stat().st_mtime,
        tool="Vitest or Jest",
        tests=tests,
        lists_all=True,
        failed=failed,
        errors=tuple(errors),
        started=_read_start(root),
    )


def _read_start(root: JsonNode) -> float:
    """Return seconds of the epoch; the report has milliseconds."""
    value = root.members().get("startTime")
    return value / 1000 if isinstance(value, int | float) and value > 0 else 0.0


def _read_file(file: JsonNode) -> Iterator[TestResult]:
    name = Path(file.text("name"))
    inside = name.is_relative_to(Path.cwd())
    place = (name.relative_to(Path.cwd()) if inside else name).as_posix()
    for test in file.items("assertionResults"):
        titles = test.members().get("ancestorTitles") or []
        messages = [clean(str(each)) for each in test.members().get("failureMessages") or []]
        images = tuple(image for each in messages for image in _read_images(each))
        yield TestResult(
            place,
            (*(one_line(str(each)) for each in titles), one_line(test.text("title"))),
            "",
            _STATUS.get(test.text("status"), "failed"),
            shorten_error(messages[0]) if messages else "",
            line=test.child("location").number("line"),
            screenshots=images,
            left_image=any(_DIFFERENCE.search(each) for each in messages),
        )


def _read_images(message: str) -> Iterator[TestScreenshot]:
    """Yield the images named in the message of Vitest's toMatchScreenshot."""
    expected, actual = _EXPECTED.search(message), _ACTUAL.search(message)
    if expected and (actual or _WRITTEN in message):
        path = Path(expected["path"])
        # Without an expectation, the new image becomes one, and the test fails.
        yield TestScreenshot(path.stem, Path(actual["path"]) if actual else path, path)
