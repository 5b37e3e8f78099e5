"""Reads the report of Playwright's JSON reporter (``--reporter=json``).

The report has the durations of steps, but no start times. Steps follow one another without gaps
unless a trace of the test has the times (``traces.py``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.client.recordings.case_index import (
    SEPARATOR,
    ReportError,
    find_story_id,
    one_line,
)
from visual_review.client.recordings.files import Files, guess_content_type
from visual_review.client.recordings.found_videos import (
    Attachment,
    FoundVideos,
    LinkedTest,
    Outcome,
    Step,
    Video,
)
from visual_review.client.recordings.json_report import JsonNode
from visual_review.client.recordings.traces import MOST_OF_RUN, apply_trace_times

MAX_DEPTH: Final = 50
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
    node: JsonNode


def is_playwright(root: JsonNode) -> bool:
    return root.has("suites") and root.has("config")


def read_playwright(root: JsonNode, report: Path, files: Files) -> FoundVideos:
    """Return the videos of every attempt of every test. Raises ReportError."""
    found = FoundVideos()
    for suite in root.items("suites"):
        for spec in _specs(suite, report, suite.text("file"), ()):
            for test in spec.node.items("tests"):
                for result in test.items("results"):
                    attempt = _make_attempt(spec, test, result)
                    _add_videos(found, attempt, result, report, files)
    if files.unpack_limit.is_reached:
        found.notes.append(
            f"{report}: the traces of this run unpack to more than {MOST_OF_RUN // 1024**3} GB. "
            "The rest was not read, so the steps of some videos have approximate times."
        )
    return found


def _specs(suite: JsonNode, report: Path, file: str, titles: tuple[str, ...]) -> Iterator[_Spec]:
    if len(titles) > MAX_DEPTH:
        raise ReportError(f"{report}: suites are nested deeper than {MAX_DEPTH}.")
    for spec in suite.items("specs"):
        yield _Spec(spec.text("file") or file, SEPARATOR.join(titles), spec)
    for inner in suite.items("suites"):
        yield from _specs(inner, report, file, (*titles, one_line(inner.text("title"))))


def _make_attempt(spec: _Spec, test: JsonNode, result: JsonNode) -> Video:
    title = one_line(spec.node.text("title")) or "A test without a title"
    return Video(
        # Replaced for each video of this attempt.
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


def _outcome(test: JsonNode, result: JsonNode) -> Outcome:
    outcome = _OUTCOMES.get(result.text("status"), "failed")
    test_status = test.text("status")
    if test_status == "flaky" and outcome == "passed":
        return "flaky"
    # A test that is expected to fail passes if it fails, and fails if it passes.
    if outcome == "failed" and test_status == "expected":
        return "passed"
    return "failed" if outcome == "passed" and test_status == "unexpected" else outcome


def _error(test: JsonNode, result: JsonNode) -> str:
    messages = [error.text("message") or error.text("value") for error in result.items("errors")]
    if not any(messages):
        messages = [result.child("error").text("message")]
    if (
        not any(messages)
        and result.text("status") == "passed"
        and _outcome(test, result) == "failed"
    ):
        messages = ["The test was expected to fail, but it passed."]
    return "\n\n".join(message.strip() for message in messages if message)


def _steps(parent: JsonNode, start: int, depth: int) -> Iterator[Step]:
    """Yield each step, followed by the nested steps."""
    for node in parent.items("steps"):
        title, duration = one_line(node.text("title")), node.number("duration")
        yield Step(title or "A step without a title", start, duration, find_story_id(title))
        if depth < MAX_DEPTH:
            yield from _steps(node, start, depth + 1)
        start += duration


def _add_videos(
    found: FoundVideos, attempt: Video, result: JsonNode, report: Path, files: Files
) -> None:
    videos: list[Path] = []
    others: list[Attachment] = []
    for each in result.items("attachments"):
        path_text, content_type = each.text("path"), each.text("contentType")
        # An attachment without a path is in the report itself.
        if not path_text:
            continue
        path = files.find(path_text, report)
        if path is None:
            found.notes.append(f"{attempt.title}: {path_text} is not in {files.folder}.")
        elif content_type.startswith("video/"):
            videos.append(path)
        else:
            kind = guess_content_type(path, content_type)
            others.append(Attachment(one_line(each.text("name")), kind, path))
    trace = next((each.path for each in others if each.name == TRACE), None)
    if videos and trace and attempt.steps:
        attempt = replace(
            attempt, steps=apply_trace_times(attempt.steps, trace, files.unpack_limit)
        )
    for part, path in enumerate(videos):
        title = f"{attempt.title} (video {part + 1})" if part else attempt.title
        # Attachments belong to the whole attempt, so only the first video has attachments.
        attachments = () if part else tuple(others)
        video = replace(attempt, path=path, title=title, part=part, attachments=attachments)
        found.videos.append(video)
