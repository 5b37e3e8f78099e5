"""Reads the start times of steps from a trace of Playwright's runner.

A trace is a zip file: ``test.trace`` has the runner's events as JSON lines, and each
``*-trace.trace`` the events of a browser context, which begins together with the context's video.
"""

import json
import zipfile
import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from visual_review.client.recordings.case_index import one_line
from visual_review.client.recordings.found_videos import Step
from visual_review.client.recordings.json_report import LONGEST_MS

RUNNER: Final = "test.trace"
CONTEXT: Final = "trace.trace"
STEP: Final = "test.step"
_FIELDS: Final = (
    *("type", "callId", "startTime", "endTime"),
    *("title", "apiName", "method", "monotonicTime"),
)
_PLAIN: Final = (str, int, float)
# A small zip file may unpack to any size, and its entries may share the same bytes. So both all
# entries of an archive together and all archives of a run have a limit.
MOST_OF_ARCHIVE: Final = 64 * 1024 * 1024
MOST_OF_RUN: Final = 1024 * 1024 * 1024
MOST_CONTEXTS: Final = 100
MOST_EVENTS: Final = 200_000
# Parsed JSON needs up to 30 times the memory of its line.
LONGEST_LINE: Final = 4 * 1024 * 1024
PIECE: Final = 64 * 1024
# In bytes: parsing even a short line takes time.
LINE_COST: Final = 128
# Other methods unpack more than is requested at once.
METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
# If a trace is invalid, the times of the report are used.
_UNREADABLE: Final = (
    *(zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, OSError, EOFError),
    *(ValueError, RecursionError, NotImplementedError, RuntimeError),
)


class TraceTooLargeError(ValueError):
    """The trace unpacks to more bytes than are allowed."""


class UnpackLimit:
    """The bytes that may still be unpacked from the traces of a run."""

    def __init__(self, most: int = MOST_OF_RUN) -> None:
        self._left_of_run = most
        self._left = 0

    @property
    def is_reached(self) -> bool:
        return self._left_of_run < 0

    def begin_archive(self) -> None:
        if self.is_reached:
            raise TraceTooLargeError("the traces unpack to too many bytes")
        self._left = min(self._left_of_run, MOST_OF_ARCHIVE)

    def use(self, size: int) -> None:
        """Count unpacked bytes. Raises TraceTooLargeError beyond the limit."""
        self._left -= size
        self._left_of_run -= size
        if self._left < 0:
            raise TraceTooLargeError("the traces unpack to too many bytes")


@dataclass(frozen=True, slots=True)
class _TraceStep:
    title: str
    start: float
    end: float | None


def apply_trace_times(
    steps: Sequence[Step], trace: Path, limit: UnpackLimit | None = None
) -> tuple[Step, ...]:
    """Return ``steps`` with the times of the trace; steps missing in the trace are unchanged.

    ``limit`` is the limit of the run; a trace above the limit leaves all steps unchanged.
    """
    try:
        with zipfile.ZipFile(trace) as archive:
            trace_steps, origin = _Trace(archive, limit or UnpackLimit()).read()
    except _UNREADABLE:
        return tuple(steps)
    if origin is None:
        return tuple(steps)
    return tuple(_apply_times(steps, trace_steps, origin))


def _apply_times(
    steps: Sequence[Step], trace_steps: Sequence[_TraceStep], origin: float
) -> Iterator[Step]:
    places: dict[str, list[int]] = defaultdict(list)
    for number, each in enumerate(trace_steps):
        places[each.title].append(number)
    position = 0
    for step in steps:
        # Both have the steps in the order of their start, but the trace has further steps.
        named = places.get(step.title, [])
        index = bisect_left(named, position)
        if index == len(named):
            yield step
            continue
        found = named[index]
        position = found + 1
        start = max(0, round(trace_steps[found].start - origin))
        end = trace_steps[found].end
        duration = (
            step.duration_ms if end is None else max(0, round(end - trace_steps[found].start))
        )
        yield replace(step, start_ms=min(start, LONGEST_MS), duration_ms=min(duration, LONGEST_MS))


class _Trace:
    """An open archive; its methods raise one of ``_UNREADABLE``."""

    def __init__(self, archive: zipfile.ZipFile, limit: UnpackLimit) -> None:
        self._archive = archive
        self._limit = limit
        self._names = archive.namelist()

    def read(self) -> tuple[list[_TraceStep], float | None]:
        """Return the steps, and when the first context began, otherwise when the test did."""
        self._limit.begin_archive()
        runner = list(islice(self._events(RUNNER), MOST_EVENTS)) if RUNNER in self._names else []
        # A name may occur any number of times.
        contexts = (name for name in dict.fromkeys(self._names) if name.endswith(CONTEXT))
        starts = [_first_time(self._events(name)) for name in islice(contexts, MOST_CONTEXTS)]
        known = [time for time in starts if time is not None]
        return _read_trace_steps(runner), min(known) if known else _first_time(iter(runner))

    def _events(self, name: str) -> Iterator[dict[str, Any]]:
        for line in self._lines(name):
            event = json.loads(line) if line.strip() else None
            if isinstance(event, dict):
                # The rest of an event may be large, and all of a file are kept.
                yield {key: event[key] for key in _FIELDS if isinstance(event.get(key), _PLAIN)}

    def _lines(self, name: str) -> Iterator[bytes]:
        entry = self._archive.getinfo(name)
        if entry.compress_type not in METHODS:
            raise NotImplementedError("traces are compressed by deflate only")
        with self._archive.open(entry) as file:
            rest = b""
            while piece := file.read(PIECE):
                *lines, rest = (rest + piece).split(b"\n")
                self._limit.use(len(piece) + LINE_COST * len(lines))
                yield from lines
                if len(rest) > LONGEST_LINE:
                    raise TraceTooLargeError("a line of the trace is too long")
            yield rest


def _read_trace_steps(events: Sequence[dict[str, Any]]) -> list[_TraceStep]:
    ends = {
        str(each.get("callId")): _time(each, "endTime") for each in events if _is(each, "after")
    }
    found = []
    for each in events:
        start = _time(each, "startTime")
        if _is(each, "before") and each.get("method") == STEP and start is not None:
            # Older runners have the title in ``apiName``.
            title = one_line(str(each.get("title") or each.get("apiName") or ""))
            found.append(_TraceStep(title, start, ends.get(str(each.get("callId")))))
    return found


def _first_time(events: Iterator[dict[str, Any]]) -> float | None:
    return next(
        (_time(each, "monotonicTime") for each in events if _is(each, "context-options")), None
    )


def _is(event: dict[str, Any], kind: str) -> bool:
    return event.get("type") == kind


def _time(event: dict[str, Any], name: str) -> float | None:
    value = event.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Excludes NaN and numbers that no float can represent.
    return float(value) if abs(value) < LONGEST_MS * 1000 else None
