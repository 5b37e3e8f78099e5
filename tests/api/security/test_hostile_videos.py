"""Small files that would take hours to convert are refused, and conversions come last."""

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from tests.support.videos import hostile_video, still_video
from visual_review.recordings.conversion import (
    CPU_SECONDS,
    MEMORY_BYTES,
    conversion_limits,
    convert_in_child,
)
from visual_review.recordings.video.budgets import START_MEMORY, START_SECONDS
from visual_review.recordings.video.conversion import convert
from visual_review.recordings.video.errors import ConversionInterruptedError, VideoRefusedError
from visual_review.recordings.video.priority import NICENESS, SESSION_NICENESS

TYPES = frozenset({"mov"})
LIMITS = conversion_limits(1_000_000, tuple(TYPES))
WAIT_SECONDS = 60


def write(folder: Path, data: bytes) -> Path:
    source = folder / "original"
    source.write_bytes(data)
    return source


def test_a_small_file_of_many_large_frames_is_refused_before_it_is_converted(
    tmp_path: Path,
) -> None:
    data = hostile_video(frames=8000)
    assert len(data) < 1_000_000
    # Time for the first frames, not for all of them.
    limits = replace(LIMITS, seconds=30)
    with pytest.raises(VideoRefusedError, match="more than 7,233 frames of 3840 x 2160"):
        convert_in_child(write(tmp_path, data), tmp_path, limits)
    assert not list(tmp_path.glob("video.*"))


def test_frames_are_also_counted_as_they_are_decoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if each packet held more frames than one.
    monkeypatch.setattr("visual_review.recordings.video.streams.MOST_PIXELS", 500_000)
    with pytest.raises(VideoRefusedError, match="more than"):
        convert(write(tmp_path, still_video(64, 48, frames=11)), tmp_path, TYPES)


def test_a_conversion_runs_at_low_priority_within_its_budget(tmp_path: Path) -> None:
    source = tmp_path / "original"
    # Nothing is written to it, so the child would read forever.
    os.mkfifo(source)
    known = set(psutil.Process().children())
    errors: list[Exception] = []
    thread = threading.Thread(target=_convert, args=(source, tmp_path, errors))
    thread.start()
    try:
        child = _wait_for_limits(known)
        # Nothing was read yet; more time is allowed once the size of the video is known.
        assert _soft_limit(child.pid, "Max cpu time") < 2 * START_SECONDS < CPU_SECONDS
        assert _soft_limit(child.pid, "Max address space") == START_MEMORY < MEMORY_BYTES
        if SESSION_NICENESS.exists():
            assert _session_niceness(child.pid) == NICENESS
    finally:
        for each in set(psutil.Process().children()) - known:
            each.kill()
        thread.join()
    assert isinstance(errors[0], ConversionInterruptedError)


def _convert(source: Path, folder: Path, errors: list[Exception]) -> None:
    try:
        convert_in_child(source, folder, LIMITS)
    except ConversionInterruptedError as error:
        errors.append(error)


def _wait_for_limits(known: set[psutil.Process]) -> psutil.Process:
    deadline = time.monotonic() + WAIT_SECONDS
    # The tests may run at a low priority themselves, and 19 is the lowest.
    expected = (min(os.nice(0) + NICENESS, 19), os.SCHED_BATCH)
    while time.monotonic() < deadline:
        for child in set(psutil.Process().children()) - known:
            priority = (child.nice(), os.sched_getscheduler(child.pid))
            seconds = _soft_limit(child.pid, "Max cpu time")
            if priority == expected and 0 < seconds < CPU_SECONDS:
                return child
        time.sleep(0.02)
    raise AssertionError("no child limited itself")


def _soft_limit(pid: int, name: str) -> int:
    # Another user's limits can only be read here.
    lines = Path(f"/proc/{pid}/limits").read_text().splitlines()
    value = next(line.removeprefix(name).split()[0] for line in lines if line.startswith(name))
    return -1 if value == "unlimited" else int(value)


def _session_niceness(pid: int) -> int:
    return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1])
