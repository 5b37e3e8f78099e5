"""A video that was found, and the try of a test that it shows."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

Outcome = Literal["", "passed", "failed", "timed_out", "skipped", "interrupted", "flaky"]
# Of a failed run these are worth nobody's time.
HARMLESS: Final[frozenset[Outcome]] = frozenset({"passed", "skipped"})
VIDEO_TYPES: Final = {
    ".webm": "video/webm",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".mkv": "video/x-matroska",
    ".avi": "video/x-msvideo",
}


@dataclass(frozen=True, slots=True)
class Step:
    """Times are milliseconds; ``start_ms`` counts from the video's start."""

    title: str
    start_ms: int = 0
    duration_ms: int = 0
    story_id: str = ""


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """What stays the same over many runs."""

    file: str
    suite: str
    title: str


@dataclass(frozen=True, slots=True)
class Attached:
    """A file that came with the video: a trace, a screenshot, a log."""

    name: str
    content_type: str
    path: Path


@dataclass(frozen=True, slots=True)
class Video:
    """``test`` is None where no report tells what the video shows.

    ``ran_at`` is the report's own time, empty where it has none. ``part`` counts the videos of
    the same try, from 0.
    """

    path: Path
    title: str
    test: LinkedTest | None = None
    project: str = ""
    outcome: Outcome = ""
    retry: int = 0
    error: str = ""
    steps: tuple[Step, ...] = ()
    duration_ms: int | None = None
    ran_at: str = ""
    part: int = 0
    attachments: tuple[Attached, ...] = ()

    @property
    def went_well(self) -> bool:
        return self.outcome in HARMLESS


@dataclass(slots=True)
class Finding:
    """What a reader found; ``notes`` are for the log, such as a video that is not there."""

    videos: list[Video] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
