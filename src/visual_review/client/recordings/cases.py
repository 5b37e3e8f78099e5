"""Test cases of any report, and which video shows which of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.recordings.files import Files, content_type_of
from visual_review.client.recordings.found_videos import (
    VIDEO_TYPES,
    Attached,
    Finding,
    LinkedTest,
    Outcome,
    Step,
    Video,
)
from visual_review.client.recordings.story_names import story_of
from visual_review.client.recordings.text_fields import SEPARATOR, words_of

# Worst first: what a video of several cases shows is the worst of them.
_WORST: Final[tuple[Outcome, ...]] = (
    "failed",
    "timed_out",
    "interrupted",
    "flaky",
    "passed",
    "skipped",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; ``named`` are the files that its output names."""

    name: str
    suite: str
    file: str
    outcome: Outcome
    error: str = ""
    duration_ms: int = 0
    ran_at: str = ""
    named: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return SEPARATOR.join(filter(None, (self.suite, self.name)))


def match_videos(cases: Sequence[Case], report: Path, files: Files) -> Finding:
    """Every video of the folder, with the case or the file of cases that it shows."""
    finding = Finding()
    left = [case for case in cases if not _add_named(finding, case, report, files)]
    taken = {video.path for video in finding.videos}
    # Screenshots of cases without a video are not sent alone.
    for path in files.videos():
        if path not in taken:
            finding.videos.append(_matched(path, left, report, files, finding.notes))
    return finding


def _matched(
    path: Path, cases: Sequence[Case], report: Path, files: Files, notes: list[str]
) -> Video:
    name = files.relative(path)
    # Cypress makes one video a file, and names it by the whole name of the file.
    if spec := _of_file(name, cases, whole=True):
        return _video_of_file(path, spec, files)
    if case := best_match(name, cases):
        return _video_of_case(path, case)
    if spec := _of_file(name, cases, whole=False):
        return _video_of_file(path, spec, files)
    notes.append(f"{name}: no test in {report} has this video.")
    return Video(path, name)


def best_match(video: str, cases: Iterable[Case]) -> Case | None:
    """The case whose name the video's path contains; None if none or several do so equally."""
    words = words_of(str(PurePosixPath(video).with_suffix("")))
    scored = [(score, case) for case in cases if (score := _likeness(words, case))]
    best = max((score for score, _ in scored), default=None)
    found = [case for score, case in scored if score == best]
    return found[0] if len(found) == 1 else None


def _likeness(words: str, case: Case) -> tuple[int, int] | None:
    """Length of the name found, and of what tells equal names apart."""
    name = words_of(case.name)
    # A name without letters is in every path.
    if not name.strip("-") or name not in words:
        return None
    places = (words_of(place) for place in (case.suite, case.file, PurePosixPath(case.file).stem))
    return len(name), max((len(place) for place in places if place in words), default=0)


def _of_file(video: str, cases: Iterable[Case], *, whole: bool) -> list[Case]:
    """The cases of the one file that the video is named by."""
    name = PurePosixPath(video).stem
    found: dict[str, list[Case]] = {}
    for case in cases:
        file = PurePosixPath(case.file)
        if case.file and name == (file.name if whole else file.stem):
            found.setdefault(case.file, []).append(case)
    # Several files of the same name lie in folders of the same names as their videos.
    if len(found) > 1:
        ends = {file: _common_folders(video, file) for file in found}
        found = {file: found[file] for file in found if ends[file] == max(ends.values())}
    return next(iter(found.values())) if len(found) == 1 else []


def _common_folders(one: str, other: str) -> int:
    mine, theirs = PurePosixPath(one).parts[-2::-1], PurePosixPath(other).parts[-2::-1]
    length = 0
    while length < min(len(mine), len(theirs)) and mine[length] == theirs[length]:
        length += 1
    return length


def _video_of_case(
    path: Path, case: Case, attachments: tuple[Attached, ...] = (), part: int = 0
) -> Video:
    return Video(
        path=path,
        title=case.full_name,
        test=LinkedTest(case.file, case.suite, case.name),
        outcome=case.outcome,
        error=case.error,
        duration_ms=case.duration_ms,
        ran_at=case.ran_at,
        part=part,
        attachments=attachments,
    )


def _video_of_file(path: Path, cases: Sequence[Case], files: Files) -> Video:
    """One test with its cases as steps, which follow one another without gaps."""
    steps: list[Step] = []
    start = 0
    for case in cases:
        steps.append(Step(case.full_name, start, case.duration_ms, story_of(case.full_name)))
        start += case.duration_ms
    failed = [case for case in cases if case.error]
    return Video(
        path=path,
        title=cases[0].file,
        test=LinkedTest(cases[0].file, "", PurePosixPath(cases[0].file).name),
        outcome=min((case.outcome for case in cases), key=_WORST.index),
        error="\n\n".join(f"{case.full_name}\n{case.error}" for case in failed),
        steps=tuple(steps),
        duration_ms=start,
        ran_at=next((case.ran_at for case in cases if case.ran_at), ""),
        attachments=_screenshots(cases[0].file, files),
    )


def _screenshots(file: str, files: Files) -> tuple[Attached, ...]:
    """Cypress keeps those of a file in a folder of the file's name."""
    name = PurePosixPath(file).name
    found = [path for path in files.ending(".png") if name in path.relative_to(files.folder).parts]
    return tuple(Attached(path.name, content_type_of(path), path) for path in found)


def _add_named(finding: Finding, case: Case, report: Path, files: Files) -> bool:
    """Whether the case names a video of its own that is there."""
    paths: list[Path] = []
    for named in case.named:
        if path := files.find(named, report):
            paths.append(path)
        else:
            finding.notes.append(f"{case.full_name}: {named} is not in {files.folder}.")
    videos = [path for path in paths if path.suffix.lower() in VIDEO_TYPES]
    others = tuple(
        Attached(path.name, content_type_of(path), path) for path in paths if path not in videos
    )
    for part, path in enumerate(videos):
        finding.videos.append(_video_of_case(path, case, () if part else others, part))
    return bool(videos)
