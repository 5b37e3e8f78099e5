"""Reads from a trace of Playwright's runner when each step of the test began.

A trace is a zip: ``test.trace`` holds the runner's events as JSON lines, and each
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
# Whatever is wrong with a trace, the report's own times do.
_UNREADABLE: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError),
    *(ValueError, RecursionError, NotImplementedError, RuntimeError),
)


@dataclass(frozen=True, slots=True)
class _Begun:
    title: str
    start: float
    end: float | None


def timed(steps: Sequence[Step], trace: Path) -> tuple[Step, ...]:
    """``steps`` with the times of the trace; those it does not know keep their own."""
    try:
        with zipfile.ZipFile(trace) as archive:
            runner = list(_events(archive, RUNNER))
            origin = _origin(archive, runner)
    except _UNREADABLE:
        return tuple(steps)
    if origin is None:
        return tuple(steps)
    return tuple(_timed(steps, _begun(runner), origin))


def _timed(steps: Sequence[Step], begun: Sequence[_Begun], origin: float) -> Iterator[Step]:
    place = 0
    for step in steps:
        # Both tell the steps in the order they began, but the trace knows more of them.
        found = next((n for n in range(place, len(begun)) if begun[n].title == step.title), None)
        if found is None:
            yield step
            continue
        place = found + 1
        start = max(0, round(begun[found].start - origin))
        end = begun[found].end
        duration = step.duration_ms if end is None else max(0, round(end - begun[found].start))
        yield replace(step, start_ms=min(start, LONGEST_MS), duration_ms=min(duration, LONGEST_MS))


def _begun(events: Sequence[dict[str, Any]]) -> list[_Begun]:
    ends = {
        str(each.get("callId")): _time(each, "endTime") for each in events if _is(each, "after")
    }
    found = []
    for each in events:
        start = _time(each, "startTime")
        if _is(each, "before") and each.get("method") == STEP and start is not None:
            # Older runners wrote the title as the name of an interface.
            title = one_line(str(each.get("title") or each.get("apiName") or ""))
            found.append(_Begun(title, start, ends.get(str(each.get("callId")))))
    return found


def _origin(archive: zipfile.ZipFile, runner: Sequence[dict[str, Any]]) -> float | None:
    """When the first context began, else when the test did."""
    contexts = [name for name in archive.namelist() if name.endswith(CONTEXT)]
    begun = [_first_time(_events(archive, name)) for name in contexts]
    known = [time for time in begun if time is not None]
    return min(known) if known else _first_time(iter(runner))


def _first_time(events: Iterator[dict[str, Any]]) -> float | None:
    return next(
        (_time(each, "monotonicTime") for each in events if _is(each, "context-options")), None
    )


def _events(archive: zipfile.ZipFile, name: str) -> Iterator[dict[str, Any]]:
    """The events of one file, none if it is not there. Raises one of ``_UNREADABLE``."""
    if name not in archive.namelist():
        return
    left = LARGEST_EVENTS
    with archive.open(name) as lines:
        # A line has no bound of its own, and a small zip may unpack to any size.
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
    # A NaN is no time, and neither is what no float holds.
    return float(value) if abs(value) < LONGEST_MS * 1000 else None
