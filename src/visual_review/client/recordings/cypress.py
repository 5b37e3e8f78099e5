"""Reads what Cypress' reporter mochawesome writes, single files of it or the merged one.

Cypress makes one video of each spec file. With its JUnit reporter, ``junit.py`` reads the cases;
which video shows which file is told in ``cases.py`` for both.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.cases import Case, match_videos
from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import Finding, Outcome
from visual_review.client.recordings.json_report import Place
from visual_review.client.recordings.text_fields import SEPARATOR, one_line

DEEPEST: Final = 50


def is_mochawesome(root: Place) -> bool:
    return root.has("results") and root.has("stats")


def read_mochawesome(root: Place, report: Path, files: Files) -> Finding:
    """The videos of the folder, with the spec files they show. Raises ReportError."""
    ran_at = root.at("stats").text("start")
    cases = [
        case for result in root.items("results") for case in _cases(result, report, "", (), ran_at)
    ]
    return match_videos(cases, report, files)


def _cases(
    suite: Place, report: Path, file: str, titles: tuple[str, ...], ran_at: str
) -> Iterator[Case]:
    if len(titles) > DEEPEST:
        raise ReportError(f"{report}: suites are nested deeper than {DEEPEST}.")
    file = (suite.text("file") or suite.text("fullFile")).replace("\\", "/") or file
    title = one_line(suite.text("title"))
    inner = (*titles, title) if title else titles
    for test in suite.items("tests"):
        yield Case(
            name=one_line(test.text("title")) or "A test without a title",
            suite=SEPARATOR.join(inner),
            file=file,
            outcome=_outcome(test),
            error=_error(test),
            duration_ms=test.number("duration"),
            ran_at=ran_at,
        )
    for each in suite.items("suites"):
        yield from _cases(each, report, file, inner, ran_at)


def _outcome(test: Place) -> Outcome:
    if test.truth("timedOut"):
        return "timed_out"
    # ``state`` is absent for tests that a failing hook kept from running.
    if test.truth("fail") or test.text("state") == "failed":
        return "failed"
    return "passed" if test.truth("pass") or test.text("state") == "passed" else "skipped"


def _error(test: Place) -> str:
    error = test.at("err")
    return error.text("message").strip() or error.text("estack").strip()
