"""Finds the reports of a folder of videos and reads each report in its format.

Cypress records one video of each spec file. Its reporter mochawesome writes single files or merged
ones. With its JUnit reporter, ``read_junit`` reads the cases; for both, ``video_matching.py`` matches
videos with files.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case_index import SEPARATOR, Case, ReportError, one_line
from visual_review.client.recordings.files import Files
from visual_review.client.recordings.found_videos import FoundVideos, Outcome, Video
from visual_review.client.recordings.json_report import (
    LARGEST_REPORT,
    LONGEST_MS,
    Element,
    JsonNode,
    read_xml,
)
from visual_review.client.recordings.playwright import is_playwright, read_playwright
from visual_review.client.recordings.video_matching import match_videos

_ATTACHMENT: Final = "[[ATTACHMENT|"
ROOTS: Final = ("testsuites", "testsuite")
# From Maven's Surefire: a case passed on a retry.
_FLAKY: Final = ("flakyFailure", "flakyError")
MAX_DEPTH: Final = 50
# Finding out whether a file is a report means parsing the file, and a folder may have many.
MOST_OF_FOUND_REPORTS: Final = LARGEST_REPORT
KNOWN_FORMATS: Final = "JSON of Playwright or mochawesome, or JUnit XML"


# Reads JUnit XML, written by many frameworks.
#
# A case names its files in lines ``[[ATTACHMENT|path]]`` of its output, the notation of Jenkins and
# GitLab. The video of a case without such lines is found by name (``video_matching.py``).


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
    return list(_junit_cases(root, ""))


def _junit_cases(suite: Element, file: str) -> Iterator[Case]:
    file = one_line(suite.get("file")) or file
    for element in suite.children:
        if element.name == "testcase":
            yield _case(element, suite, file)
        elif element.name == "testsuite":
            yield from _junit_cases(element, file)
            # Mocha names the file only in the first suite, for all following suites.
            file = one_line(element.get("file")) or file


def _case(element: Element, suite: Element, file: str) -> Case:
    problems = element.named("failure", "error")
    outputs = (*element.named("system-out", "system-err"), *problems)
    return Case(
        name=one_line(element.get("name")) or "A test without a name",
        suite=one_line(element.get("classname")),
        file=one_line(element.get("file")) or file,
        outcome=_junit_outcome(element, failed=bool(problems)),
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


def _junit_outcome(element: Element, *, failed: bool) -> Outcome:
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


def find_videos(folder: Path, reports: list[Path]) -> FoundVideos:
    """Find the videos below ``folder``, described by ``reports`` or by reports found in the folder.

    Raises InputError if the folder is missing, and ReportError for an unreadable given report; a
    report only found next to the videos is skipped with a note.
    """
    files = Files(folder)
    if reports:
        return _merge_reports([read_report(report, files) for report in reports], files)
    return _merge_reports(_read_found_reports(files), files)


def read_report(report: Path, files: Files) -> FoundVideos:
    """Read a report of any known format. Raises ReportError."""
    if report.suffix.lower() == ".xml":
        return read_junit(report, files)
    root = JsonNode.read(report)
    if is_playwright(root):
        return read_playwright(root, report, files)
    if is_mochawesome(root):
        return read_mochawesome(root, report, files)
    raise ReportError(f"{report} has an unknown format. Supported: {KNOWN_FORMATS}.")


def _read_found_reports(files: Files) -> list[FoundVideos]:
    found = []
    left = MOST_OF_FOUND_REPORTS
    for path in files.with_suffixes(".json", ".xml"):
        left -= path.stat().st_size
        if left < 0:
            note = f"{path} and later files were not read as reports: name them with --report."
            found.append(FoundVideos(notes=[note]))
            break
        try:
            if _is_report(path):
                found.append(read_report(path, files))
        except ReportError as error:
            # Folders of tests contain all kinds of JSON.
            found.append(FoundVideos(notes=[f"Not read as a report: {error}"]))
    return found


def _is_report(path: Path) -> bool:
    if path.suffix.lower() == ".xml":
        return read_xml(path).name in ROOTS
    root = JsonNode.read(path)
    return is_playwright(root) or is_mochawesome(root)


def _merge_reports(parts: list[FoundVideos], files: Files) -> FoundVideos:
    """Return each video once, with the test from any report; videos without a test last."""
    merged = FoundVideos(notes=[note for found in parts for note in found.notes])
    known: dict[Path, Video] = {}
    # A report may only guess at a video of which another report is certain.
    for certain in (True, False):
        for found in parts:
            for video in found.videos:
                if video.test is not None and (video.path not in found.guessed) == certain:
                    known.setdefault(video.path, video)
    rest = [path for path in files.videos() if path not in known]
    merged.videos = [*known.values(), *(Video(path, files.relative(path)) for path in rest)]
    if any(found.has_cases for found in parts):
        merged.notes += [f"{files.relative(path)}: no report has a test for it." for path in rest]
    return merged


def is_mochawesome(root: JsonNode) -> bool:
    return root.has("results") and root.has("stats")


def read_mochawesome(root: JsonNode, report: Path, files: Files) -> FoundVideos:
    """Return the videos of the folder with their spec files. Raises ReportError."""
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
    # ``state`` is missing for tests not run because of a failed hook.
    if test.is_true("fail") or test.text("state") == "failed":
        return "failed"
    return "passed" if test.is_true("pass") or test.text("state") == "passed" else "skipped"


def _error(test: JsonNode) -> str:
    error = test.child("err")
    return error.text("message").strip() or error.text("estack").strip()
