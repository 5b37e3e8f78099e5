"""Reads the start times of steps from a trace of Playwright's runner.

A trace is a zip file: ``test.trace`` has the runner's events as JSON lines, and each
``*-trace.trace`` those of a browser context, which begins when its video does.
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from visual_review.client.recordings.found_videos import Step
from visual_review.client.recordings.json_report import LONGEST_MS
from visual_review.client.recordings.text_fields import one_line

RUNNER: Final = "test.trace"
CONTEXT: Final = "trace.trace"
STEP: Final = "test.step"
LARGEST_EVENTS: Final = 64 * 1024 * 1024
# If a trace is invalid, the times of the report are used.
_UNREADABLE: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError),
    *(ValueError, RecursionError, NotImplementedError, RuntimeError),
)


@dataclass(frozen=True, slots=True)
class _TraceStep:
    title: str
    start: float
    end: float | None


def apply_trace_times(steps: Sequence[Step], trace: Path) -> tuple[Step, ...]:
    """Return ``steps`` with the times of the trace; steps that it does not have are unchanged."""
    try:
        with zipfile.ZipFile(trace) as archive:
            runner = list(_read_events(archive, RUNNER))
            origin = _read_origin(archive, runner)
    except _UNREADABLE:
        return tuple(steps)
    if origin is None:
        return tuple(steps)
    return tuple(_apply_times(steps, _read_trace_steps(runner), origin))


def _apply_times(
    steps: Sequence[Step], trace_steps: Sequence[_TraceStep], origin: float
) -> Iterator[Step]:
    position = 0
    for step in steps:
        # Both have the steps in the order of their start, but the trace has more of them.
        found = next(
            (n for n in range(position, len(trace_steps)) if trace_steps[n].title == step.title),
            None,
        )
        if found is None:
            yield step
            continue
        position = found + 1
        start = max(0, round(trace_steps[found].start - origin))
        end = trace_steps[found].end
        duration = (
            step.duration_ms if end is None else max(0, round(end - trace_steps[found].start))
        )
        yield replace(step, start_ms=min(start, LONGEST_MS), duration_ms=min(duration, LONGEST_MS))


def _read_trace_steps(events: Sequence[dict[str, Any]]) -> list[_TraceStep]:
    ends = {
        str(each.get("callId")): _time(each, "endTime") for each in events if _is(each, "after")
    }
    found = []
    for each in events:
        start = _time(each, "startTime")
        if _is(each, "before") and each.get("method") == STEP and start is not None:
            # Older runners have the title in this field.
            title = one_line(str(each.get("title") or each.get("apiName") or ""))
            found.append(_TraceStep(title, start, ends.get(str(each.get("callId")))))
    return found


def _read_origin(archive: zipfile.ZipFile, runner: Sequence[dict[str, Any]]) -> float | None:
    """Return when the first context began, otherwise when the test did."""
    contexts = [name for name in archive.namelist() if name.endswith(CONTEXT)]
    starts = [_first_time(_read_events(archive, name)) for name in contexts]
    known = [time for time in starts if time is not None]
    return min(known) if known else _first_time(iter(runner))


def _first_time(events: Iterator[dict[str, Any]]) -> float | None:
    return next(
        (_time(each, "monotonicTime") for each in events if _is(each, "context-options")), None
    )


def _read_events(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """Yield the events of one file, none if it is missing. Raises one of ``_UNREADABLE``."""
    if name not in archive.namelist():
        return
    left = LARGEST_EVENTS
    with archive.open(name) as lines:
        # The length of a line is not limited, and a small zip file may unpack to any size.
        while left > 0 and (line := lines.readline(left)):
            left -= len(line)
            event = json.loads(line) if line.strip() else None
            if isinstance(event, dict):
                yield event


def _is(event: dict[str, Any], kind: str) -> bool:
    return event.get("type") == kind


def _time(event: dict[str, Any], name: str) -> float | None:
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Excludes NaN and numbers that no float can represent.
    return float(value) if abs(value) < LONGEST_MS * 1000 else None
