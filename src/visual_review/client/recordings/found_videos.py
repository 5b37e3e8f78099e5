"""The found videos, and the attempts of tests in the videos."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Literal

MEGABYTE: Final = 1024 * 1024
Outcome = Literal["", "passed", "failed", "timed_out", "skipped", "interrupted", "flaky"]
# Not worth anyone's time after a failed run.
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
    """A step of a test; ``start_ms`` counts from the start of the video."""

    title: str
    start_ms: int = 0
    duration_ms: int = 0
    story_id: str = ""


@dataclass(frozen=True, slots=True)
class LinkedTest:
    """Identifies a test across runs."""

    file: str
    suite: str
    title: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that belongs to the video: a trace, a screenshot, a log."""

    name: str
    content_type: str
    path: Path


@dataclass(frozen=True, slots=True)
class Video:
    """A video, with its ``test`` if named in a report."""

    path: Path
    title: str
    test: LinkedTest | None = None
    project: str = ""
    outcome: Outcome = ""
    retry: int = 0
    error: str = ""
    steps: tuple[Step, ...] = ()
    duration_ms: int | None = None
    # From the report; empty without a time.
    ran_at: str = ""
    # Counts the videos of the same attempt, from 0.
    part: int = 0
    attachments: tuple[Attachment, ...] = ()

    @property
    def is_harmless(self) -> bool:
        return self.outcome in HARMLESS


@dataclass(slots=True)
class FoundVideos:
    """The videos of a folder."""

    videos: list[Video] = field(default_factory=list)
    # Paths of videos matched by a part of their names.
    guessed: set[Path] = field(default_factory=set)
    # Whether a report has test cases, whose videos are found by name.
    has_cases: bool = False
    # Lines for the log, such as a missing video.
    notes: list[str] = field(default_factory=list)


def select_videos(found: FoundVideos, *, only_failed: bool, largest: int) -> FoundVideos:
    """Select the videos, or only failed ones, with attachments of up to ``largest`` bytes.

    0 selects no attachments.
    """
    selection = FoundVideos(notes=list(found.notes))
    for video in found.videos:
        # A video without a report may show a failed test.
        if only_failed and video.is_harmless:
            continue
        selection.videos.append(_drop_large_attachments(video, largest, selection.notes))
    return selection


def _drop_large_attachments(video: Video, largest: int, notes: list[str]) -> Video:
    kept: list[Attachment] = []
    for each in video.attachments:
        if each.path.stat().st_size <= largest:
            kept.append(each)
        elif largest:
            notes.append(f"{video.title}: {each.path.name} is skipped because it is too large.")
    return replace(video, attachments=tuple(kept))
