"""Reads the report of Playwright's JSON reporter (``--reporter=json``).

It tells how long a step took, but not when it began, so steps follow one another without gaps
unless the test's trace is there, which knows the time of each (``traces.py``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.client.recordings.errors import ReportError
from visual_review.client.recordings.files import Files, content_type_of
from visual_review.client.recordings.found_videos import (
    Attached,
    Finding,
    LinkedTest,
    Outcome,
    Step,
    Video,
)
from visual_review.client.recordings.json_report import Place
from visual_review.client.recordings.story_names import story_of
from visual_review.client.recordings.text_fields import SEPARATOR, one_line
from visual_review.client.recordings.traces import timed

DEEPEST: Final = 50
TRACE: Final = "trace"
_OUTCOMES: Final[dict[str, Outcome]] = {
    "passed": "passed",
    "failed": "failed",
    "timedOut": "timed_out",
    "skipped": "skipped",
    "interrupted": "interrupted",
}


@dataclass(frozen=True, slots=True)
class _Spec:
    file: str
    suite: str
    place: Place


def is_playwright(root: Place) -> bool:
    return root.has("suites") and root.has("config")


def read_playwright(root: Place, report: Path, files: Files) -> Finding:
    """The videos of every try of every test. Raises ReportError."""
    finding = Finding()
    for suite in root.items("suites"):
        for spec in _specs(suite, report, suite.text("file"), ()):
            for test in spec.place.items("tests"):
                for result in test.items("results"):
                    _add(finding, _try(spec, test, result), result, report, files)
    return finding


def _specs(suite: Place, report: Path, file: str, titles: tuple[str, ...]) -> Iterator[_Spec]:
    if len(titles) > DEEPEST:
        raise ReportError(f"{report}: suites are nested deeper than {DEEPEST}.")
    for spec in suite.items("specs"):
        yield _Spec(spec.text("file") or file, SEPARATOR.join(titles), spec)
    for inner in suite.items("suites"):
        yield from _specs(inner, report, file, (*titles, one_line(inner.text("title"))))


def _try(spec: _Spec, test: Place, result: Place) -> Video:
    title = one_line(spec.place.text("title")) or "A test without a title"
    return Video(
        # Replaced by each video of this try.
        path=Path(),
        title=SEPARATOR.join(filter(None, (spec.suite, title))),
        test=LinkedTest(spec.file, spec.suite, title),
        project=one_line(test.text("projectName")),
        outcome=_outcome(test, result),
        retry=result.number("retry"),
        error=_error(test, result),
        steps=tuple(_steps(result, 0, 0)),
        duration_ms=result.number("duration"),
        ran_at=result.text("startTime"),
    )


def _outcome(test: Place, result: Place) -> Outcome:
    outcome = _OUTCOMES.get(result.text("status"), "failed")
    as_a_whole = test.text("status")
    if as_a_whole == "flaky" and outcome == "passed":
        return "flaky"
    # A test that is expected to fail passes by failing, and fails by passing.
    if outcome == "failed" and as_a_whole == "expected":
        return "passed"
    return "failed" if outcome == "passed" and as_a_whole == "unexpected" else outcome


def _error(test: Place, result: Place) -> str:
    messages = [error.text("message") or error.text("value") for error in result.items("errors")]
    if not any(messages):
        messages = [result.at("error").text("message")]
    if (
        not any(messages)
        and result.text("status") == "passed"
        and _outcome(test, result) == "failed"
    ):
        messages = ["The test was expected to fail, but it passed."]
    return "\n\n".join(message.strip() for message in messages if message)


def _steps(parent: Place, start: int, depth: int) -> Iterator[Step]:
    """Each step, and after it those inside it."""
    for place in parent.items("steps"):
        title, duration = one_line(place.text("title")), place.number("duration")
        yield Step(title or "A step without a title", start, duration, story_of(title))
        if depth < DEEPEST:
            yield from _steps(place, start, depth + 1)
        start += duration


def _add(finding: Finding, seen: Video, result: Place, report: Path, files: Files) -> None:
    videos: list[Path] = []
    others: list[Attached] = []
    for each in result.items("attachments"):
        named, told = each.text("path"), each.text("contentType")
        # Without a path it lies in the report itself.
        if not named:
            continue
        path = files.find(named, report)
        if path is None:
            finding.notes.append(f"{seen.title}: {named} is not in {files.folder}.")
        elif told.startswith("video/"):
            videos.append(path)
        else:
            others.append(Attached(one_line(each.text("name")), content_type_of(path, told), path))
    trace = next((each.path for each in others if each.name == TRACE), None)
    if videos and trace and seen.steps:
        seen = replace(seen, steps=timed(seen.steps, trace))
    for part, path in enumerate(videos):
        title = f"{seen.title} (video {part + 1})" if part else seen.title
        # Once is enough for what belongs to the whole try.
        attachments = () if part else tuple(others)
        video = replace(seen, path=path, title=title, part=part, attachments=attachments)
        finding.videos.append(video)
