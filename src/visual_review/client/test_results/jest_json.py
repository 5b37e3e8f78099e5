"""Reads the JSON report of Jest and Vitest (``--reporter=json``), which has the same form."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case import ReportError, one_line
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.test_results.model import Status, TestResult, TestRun, shorten_error

_STATUS: Final[dict[str, Status]] = {
    "passed": "passed",
    "failed": "failed",
    "pending": "skipped",
    "skipped": "skipped",
    "todo": "skipped",
    "disabled": "skipped",
}


def read_jest_json(report: Path) -> TestRun:
    """Raises ReportError for what is no complete report."""
    root = JsonNode.read(report)
    if not (root.has("testResults") and root.has("numTotalTests")):
        raise ReportError(f"{report} is not a JSON report of Jest or Vitest (--reporter=json).")
    files = list(root.items("testResults"))
    tests = tuple(test for file in files for test in _read_file(file))
    failed = sum(test.status == "failed" for test in tests)
    errors = [
        f"{file.text('name')}: {shorten_error(file.text('message'))}"
        for file in files
        # A file that could not be loaded has no tests.
        if file.text("status") == "failed" and not list(file.items("assertionResults"))
    ]
    return TestRun(
        report,
        report.stat().st_mtime,
        passed=failed == 0 and not errors,
        tool="Vitest or Jest",
        tests=tests,
        lists_all=True,
        failed=failed,
        errors=tuple(errors),
    )


def _read_file(file: JsonNode) -> Iterator[TestResult]:
    for test in file.items("assertionResults"):
        titles = test.members().get("ancestorTitles") or []
        messages = test.members().get("failureMessages") or []
        yield TestResult(
            file.text("name").replace("\\", "/"),
            (*(one_line(str(each)) for each in titles), one_line(test.text("title"))),
            "",
            _STATUS.get(test.text("status"), "failed"),
            shorten_error(str(messages[0])) if messages else "",
            line=test.child("location").number("line"),
        )
