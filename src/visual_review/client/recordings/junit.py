"""Reads JUnit's XML, which many frameworks write.

A case names its files by lines ``[[ATTACHMENT|path]]`` in its output, as Jenkins and GitLab read
them. Which video shows a case that names none is told by its name (``cases.py``).
"""

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.cases import Case, match_videos
from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import Finding, Outcome
from visual_review.client.recordings.json_report import LONGEST_MS
from visual_review.client.recordings.text_fields import one_line
from visual_review.client.recordings.xml_report import Element, read_xml

_ATTACHMENT: Final = re.compile(r"\[\[ATTACHMENT\|([^\]|]+)(?:\|[^\]]*)?\]\]")
ROOTS: Final = ("testsuites", "testsuite")
# Of Maven's Surefire: a case that passed at a later try.
_FLAKY: Final = ("flakyFailure", "flakyError")


def read_junit(report: Path, files: Files) -> Finding:
    """The videos of the folder, with the cases they show. Raises ReportError."""
    return match_videos(read_cases(report), report, files)


def read_cases(report: Path) -> list[Case]:
    """All test cases in their order. Raises ReportError for another kind of document."""
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
            # Mocha names the file at its first suite only, for all that follow.
            file = one_line(element.get("file")) or file


def _case(element: Element, suite: Element, file: str) -> Case:
    problems = element.named("failure", "error")
    outputs = (*element.named("system-out", "system-err"), *problems)
    return Case(
        name=one_line(element.get("name")) or "A test without a name",
        suite=one_line(element.get("classname")),
        file=one_line(element.get("file")) or file,
        outcome=_outcome(element, failed=bool(problems)),
        error="\n\n".join(filter(None, map(_words, problems))),
        duration_ms=_milliseconds(element.get("time")),
        ran_at=element.get("timestamp") or suite.get("timestamp"),
        named=tuple(
            found.strip() for output in outputs for found in _ATTACHMENT.findall(output.text)
        ),
    )


def _outcome(element: Element, *, failed: bool) -> Outcome:
    if failed:
        return "failed"
    if element.named("skipped"):
        return "skipped"
    return "flaky" if element.named(*_FLAKY) else "passed"


def _words(problem: Element) -> str:
    message, text = problem.get("message").strip(), problem.text.strip()
    return text if message in text else f"{message}\n{text}".strip()


def _milliseconds(seconds: str) -> int:
    try:
        # Some locales write thousands with a comma.
        value = float(seconds.replace(",", "") or 0)
    except ValueError:
        return 0
    return int(min(value * 1000, LONGEST_MS)) if math.isfinite(value) and value > 0 else 0
