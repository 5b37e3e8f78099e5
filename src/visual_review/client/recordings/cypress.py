"""Reads reports of Cypress' reporter mochawesome, single files or merged ones.

Cypress records one video of each spec file. With its JUnit reporter, ``junit.py`` reads the
cases; for both, ``cases.py`` finds out which video shows which file.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case import Case
from visual_review.client.recordings.cases import match_videos
from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import FoundVideos, Outcome
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.recordings.text_fields import SEPARATOR, one_line

MAX_DEPTH: Final = 50


def is_mochawesome(root: JsonNode) -> bool:
    return root.has("results") and root.has("stats")


def read_mochawesome(root: JsonNode, report: Path, files: Files) -> FoundVideos:
    """Return the videos of the folder with the spec files they show. Raises ReportError."""
    ran_at = root.child("stats").text("start")
    cases = [
        case for result in root.items("results") for case in _cases(result, report, "", (), ran_at)
    ]
    return match_videos(cases, report, files)


def _cases(
    suite: JsonNode, report: Path, file: str, titles: tuple[str, ...], ran_at: str
) -> Iterator[Case]:
    if len(titles) > MAX_DEPTH:
        raise ReportError(f"{report}: suites are nested deeper than {MAX_DEPTH}.")
    file = (suite.text("file") or suite.text("fullFile")).replace("\\", "/") or file
    title = one_line(suite.text("title"))
    inner_titles = (*titles, title) if title else titles
    for test in suite.items("tests"):
        yield Case(
            name=one_line(test.text("title")) or "A test without a title",
            suite=SEPARATOR.join(inner_titles),
            file=file,
            outcome=_outcome(test),
            error=_error(test),
            duration_ms=test.number("duration"),
            ran_at=ran_at,
        )
    for each in suite.items("suites"):
        yield from _cases(each, report, file, inner_titles, ran_at)


def _outcome(test: JsonNode) -> Outcome:
    if test.is_true("timedOut"):
        return "timed_out"
    # ``state`` is missing for tests that did not run because a hook failed.
    if test.is_true("fail") or test.text("state") == "failed":
        return "failed"
    return "passed" if test.is_true("pass") or test.text("state") == "passed" else "skipped"


def _error(test: JsonNode) -> str:
    error = test.child("err")
    return error.text("message").strip() or error.text("estack").strip()
