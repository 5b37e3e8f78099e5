import json
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from tests.support.ci.reports import attachment, playwright, result, spec, touch, zip_bomb
from visual_review.client.recordings.found_videos import Step
from visual_review.client.recordings.report_formats import find_videos
from visual_review.client.recordings.traces import (
    LINE_COST,
    LONGEST_LINE,
    MOST_CONTEXTS,
    MOST_OF_ARCHIVE,
    PIECE,
    UnpackLimit,
    apply_trace_times,
)

STEPS = (Step("Open", 0, 300), Step("Press", 300, 200))


def options(origin: str, at: float) -> dict[str, Any]:
    return {"type": "context-options", "origin": origin, "monotonicTime": at, "version": 8}


def before(call: str, title: str, at: float, method: str = "test.step") -> dict[str, Any]:
    fields = {"callId": call, "stepId": call, "class": "Test", "method": method}
    return {"type": "before", **fields, "startTime": at, "title": title}


def after(call: str, at: float) -> dict[str, Any]:
    return {"type": "after", "callId": call, "endTime": at}


RUNNER = [
    options("testRunner", 1000),
    before("hook@1", "Before Hooks", 1001, "hook"),
    before("pw:api@2", "Press", 1100, "pw:api"),
    before("test.step@3", "Open", 1700.4),
    after("test.step@3", 2000),
    before("test.step@4", "Press", 2900),
]


def trace(path: Path, **files: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, events in files.items():
            archive.writestr(name, "\n".join(json.dumps(event) for event in events))
    return path


def test_steps_have_the_start_times_of_the_trace_relative_to_the_video(tmp_path: Path) -> None:
    contexts = {
        "0-trace.trace": [options("library", 1500)],
        "1-trace.trace": [options("library", 2500)],
    }
    path = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER}, **contexts)
    assert apply_trace_times(STEPS, path) == (Step("Open", 200, 300), Step("Press", 1400, 200))


def test_without_a_context_times_are_relative_to_the_tests_start(tmp_path: Path) -> None:
    path = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER})
    assert [step.start_ms for step in apply_trace_times(STEPS, path)] == [700, 1900]


def test_a_step_that_is_not_in_the_trace_keeps_its_time(tmp_path: Path) -> None:
    path = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER})
    steps = (Step("Elsewhere", 5, 6), *STEPS)
    assert apply_trace_times(steps, path)[0] == Step("Elsewhere", 5, 6)
    assert [step.start_ms for step in apply_trace_times(steps, path)[1:]] == [700, 1900]


def test_the_report_takes_the_times_of_its_trace(tmp_path: Path) -> None:
    video = touch(tmp_path / "a" / "video.webm")
    path = trace(tmp_path / "a" / "trace.zip", **{"test.trace": RUNNER})
    steps = [{"title": "Open", "duration": 300}]
    attachments = [attachment(video), attachment(path, "trace", "application/zip")]
    report = playwright(tmp_path, spec("works", result(attachments=attachments, steps=steps)))
    [found] = find_videos(tmp_path, [report]).videos
    assert found.steps == (Step("Open", 700, 300),)


def test_a_broken_trace_leaves_the_reports_times(tmp_path: Path) -> None:
    whole = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER}).read_bytes()
    for data in (b"", b"PK", whole[:-30], whole[:60] + b"x" * 20 + whole[80:]):
        assert apply_trace_times(STEPS, touch(tmp_path / "broken.zip", data)) == STEPS


class CountingLimit(UnpackLimit):
    """Counts the unpacked bytes."""

    used = 0

    def use(self, size: int) -> None:
        self.used += size
        super().use(size)


def test_an_archive_is_limited_in_all_however_many_entries_it_has(tmp_path: Path) -> None:
    bomb = zip_bomb(tmp_path / "bomb.zip", entries=90, size=1024 * 1024)
    assert bomb.stat().st_size < 200_000
    limit = CountingLimit()
    assert apply_trace_times(STEPS, bomb, limit) == STEPS
    # At most a piece more than the limit.
    assert limit.used < MOST_OF_ARCHIVE + 1024 * 1024


def test_short_lines_are_limited_too(tmp_path: Path) -> None:
    path = tmp_path / "lines.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test.trace", b"0\n" * 1_000_000)
    limit = CountingLimit()
    assert apply_trace_times(STEPS, path, limit) == STEPS
    assert MOST_OF_ARCHIVE < limit.used < MOST_OF_ARCHIVE + PIECE * LINE_COST


def test_all_archives_of_a_run_are_limited_together(tmp_path: Path) -> None:
    bomb = zip_bomb(tmp_path / "bomb.zip", entries=2, size=1024 * 1024)
    fine = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER})
    limit = CountingLimit(1024 * 1024)
    assert apply_trace_times(STEPS, fine, limit) != STEPS
    for path in (bomb, bomb, fine):
        assert apply_trace_times(STEPS, path, limit) == STEPS
    assert limit.is_reached
    assert limit.used < 3 * 1024 * 1024


def test_hostile_archives_leave_the_reports_times(tmp_path: Path, case: Case) -> None:
    runner = "\n".join(json.dumps(event) for event in RUNNER).encode()
    for name, method, data in (
        ("a method that unpacks without a limit", zipfile.ZIP_BZIP2, runner),
        ("another one", zipfile.ZIP_LZMA, runner),
        ("a line of some megabytes", zipfile.ZIP_DEFLATED, b"[" + b"0," * LONGEST_LINE + runner),
        ("deep nesting", zipfile.ZIP_DEFLATED, b"[" * 100_000),
    ):
        with case(name):
            path = tmp_path / "hostile.zip"
            with zipfile.ZipFile(path, "w", method) as archive:
                archive.writestr("test.trace", data)
            assert apply_trace_times(STEPS, path) == STEPS


def test_many_contexts_are_not_all_read(tmp_path: Path) -> None:
    contexts = {f"{number}-trace.trace": [options("library", 1500)] for number in range(300)}
    path = trace(tmp_path / "trace.zip", **{"test.trace": RUNNER}, **contexts)
    limit = CountingLimit()
    assert apply_trace_times(STEPS, path, limit)[0] == Step("Open", 200, 300)
    assert limit.used < len(json.dumps(RUNNER)) + MOST_CONTEXTS * 300


def test_many_steps_are_matched_in_linear_time(tmp_path: Path) -> None:
    """Searching the rest of the trace for each step took a minute for so many steps."""
    events = [before(str(number), "Other", 2) for number in range(10_000)]
    path = trace(tmp_path / "trace.zip", **{"test.trace": [*RUNNER, *events]})
    steps = tuple(Step(f"Missing {number}", number, 1) for number in range(50_000))
    assert apply_trace_times(steps, path) == steps


VALUES = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
NAMES = st.sampled_from(
    ["type", "callId", "startTime", "endTime", "title", "method", "monotonicTime"]
)
EVENTS = st.lists(
    st.dictionaries(NAMES, VALUES | st.sampled_from(["before", "after", "test.step", "Open"]))
    | st.sampled_from([options("library", 1), before("a", "Open", 2)]),
    max_size=6,
)


@given(EVENTS)
def test_any_events_leave_every_step_with_times_in_bounds(events: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = trace(Path(folder) / "trace.zip", **{"test.trace": [*events]})
        found = apply_trace_times(STEPS, path)
    assert [step.title for step in found] == ["Open", "Press"]
    assert all(step.start_ms >= 0 and step.duration_ms >= 0 for step in found)
