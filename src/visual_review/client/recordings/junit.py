"""Reads JUnit XML, written by many frameworks.

A case names its files in lines ``[[ATTACHMENT|path]]`` of its output, the notation of Jenkins and
GitLab. The video of a case without such lines is found by name (``video_matching.py``).
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case import Case, ReportError, one_line
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import FoundVideos, Outcome
from visual_review.client.recordings.json_report import LONGEST_MS
from visual_review.client.recordings.video_matching import match_videos
from visual_review.client.recordings.xml_report import Element, read_xml

_ATTACHMENT: Final = "[[ATTACHMENT|"
ROOTS: Final = ("testsuites", "testsuite")
# From Maven's Surefire: a case passed on a retry.
_FLAKY: Final = ("flakyFailure", "flakyError")


def read_junit(report: Path, files: Files) -> FoundVideos:
    """Return the videos of the folder with their cases. Raises ReportError."""
    return match_videos(read_cases(report), report, files)


def read_cases(report: Path) -> list[Case]:
    """Return all test cases in order. Raises ReportError for any other document."""
    root = read_xml(report)
    if root.name not in ROOTS:
        raise ReportError(
            f"{report}: the root is <{one_line(root.name)[:50]}>, not <testsuites> or <testsuite>."
        )
    return list(_cases(root, ""))


def _cases(suite: Element, file: str) -> Iterator[Case]:
    file = one_line(suite.get("file")) or file
    for element in suite.children:
        if element.name == "testcase":
            yield _case(element, suite, file)
        elif element.name == "testsuite":
            yield from _cases(element, file)
            # Mocha names the file only in the first suite, for all following suites.
            file = one_line(element.get("file")) or file


def _case(element: Element, suite: Element, file: str) -> Case:
    problems = element.named("failure", "error")
    outputs = (*element.named("system-out", "system-err"), *problems)
    return Case(
        name=one_line(element.get("name")) or "A test without a name",
        suite=one_line(element.get("classname")),
        file=one_line(element.get("file")) or file,
        outcome=_outcome(element, failed=bool(problems)),
        error="\n\n".join(filter(None, map(_error_text, problems))),
        duration_ms=_milliseconds(element.get("time")),
        ran_at=element.get("timestamp") or suite.get("timestamp"),
        attached=tuple(path for output in outputs for path in _attached_paths(output.text)),
    )


def _attached_paths(output: str) -> Iterator[str]:
    # Split instead of matched: a pattern would read the rest of the output once per beginning.
    for piece in output.split(_ATTACHMENT)[1:]:
        mark, closed, _ = piece.partition("]]")
        path = mark.partition("|")[0].strip()
        if closed and path and "]" not in mark:
            yield path


def _outcome(element: Element, *, failed: bool) -> Outcome:
    if failed:
        return "failed"
    if element.named("skipped"):
        return "skipped"
    return "flaky" if element.named(*_FLAKY) else "passed"


def _error_text(problem: Element) -> str:
    message, text = problem.get("message").strip(), problem.text.strip()
    return text if message in text else f"{message}\n{text}".strip()


def _milliseconds(seconds: str) -> int:
    try:
        # Some locales write thousands with a comma.
        value = float(seconds.replace(",", "") or 0)
    except ValueError:
        return 0
    return int(min(value * 1000, LONGEST_MS)) if math.isfinite(value) and value > 0 else 0
