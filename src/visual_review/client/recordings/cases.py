"""Test cases of any report, and which video shows which case."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.recordings.files import Files, guess_content_type
from visual_review.client.recordings.found_videos import (
    VIDEO_TYPES,
    Attachment,
    FoundVideos,
    LinkedTest,
    Outcome,
    Step,
    Video,
)
from visual_review.client.recordings.story_names import find_story_id
from visual_review.client.recordings.text_fields import SEPARATOR, slugify

# Worst first: a video of several cases gets the worst outcome.
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
    """One test case; ``attached`` are the files that its output names."""

    name: str
    suite: str
    file: str
    outcome: Outcome
    error: str = ""
    duration_ms: int = 0
    ran_at: str = ""
    attached: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return SEPARATOR.join(filter(None, (self.suite, self.name)))


def match_videos(cases: Sequence[Case], report: Path, files: Files) -> FoundVideos:
    """Match every video of the folder with the case, or the file of cases, that it shows."""
    found = FoundVideos()
    unmatched = [case for case in cases if not _add_attached_videos(found, case, report, files)]
    matched = {video.path for video in found.videos}
    # Screenshots of cases without a video are not uploaded alone.
    for path in files.videos():
        if path not in matched:
            found.videos.append(_video_from_path(path, unmatched, report, files, found.notes))
    return found


def _video_from_path(
    path: Path, cases: Sequence[Case], report: Path, files: Files, notes: list[str]
) -> Video:
    name = files.relative(path)
    # Cypress records one video per file, named by the file with its extension.
    if spec := _cases_of_file(name, cases, whole=True):
        return _video_of_file(path, spec, files)
    if case := best_match(name, cases):
        return _video_of_case(path, case)
    if spec := _cases_of_file(name, cases, whole=False):
        return _video_of_file(path, spec, files)
    notes.append(f"{name}: {report} has no test for this video.")
    return Video(path, name)


def best_match(video: str, cases: Iterable[Case]) -> Case | None:
    """Return the case whose name best matches the path; None if none or several do."""
    slug = slugify(str(PurePosixPath(video).with_suffix("")))
    scored = [(score, case) for case in cases if (score := _match_score(slug, case))]
    best = max((score for score, _ in scored), default=None)
    best_cases = [case for score, case in scored if score == best]
    return best_cases[0] if len(best_cases) == 1 else None


def _match_score(slug: str, case: Case) -> tuple[int, int] | None:
    """Return the length of the matching name, and of the suite or file that matches, too."""
    name = slugify(case.name)
    # A name without letters would match every path.
    if not name.strip("-") or name not in slug:
        return None
    origins = (slugify(text) for text in (case.suite, case.file, PurePosixPath(case.file).stem))
    return len(name), max((len(origin) for origin in origins if origin in slug), default=0)


def _cases_of_file(video: str, cases: Iterable[Case], *, whole: bool) -> list[Case]:
    """Return the cases of the file that the video is named after."""
    name = PurePosixPath(video).stem
    found: dict[str, list[Case]] = {}
    for case in cases:
        file = PurePosixPath(case.file)
        if case.file and name == (file.name if whole else file.stem):
            found.setdefault(case.file, []).append(case)
    # Several files of the same name are in folders named like those of their videos.
    if len(found) > 1:
        depths = {file: _common_folders(video, file) for file in found}
        found = {file: found[file] for file in found if depths[file] == max(depths.values())}
    return next(iter(found.values())) if len(found) == 1 else []


def _common_folders(one: str, other: str) -> int:
    mine, theirs = PurePosixPath(one).parts[-2::-1], PurePosixPath(other).parts[-2::-1]
    length = 0
    while length < min(len(mine), len(theirs)) and mine[length] == theirs[length]:
        length += 1
    return length


def _video_of_case(
    path: Path, case: Case, attachments: tuple[Attachment, ...] = (), part: int = 0
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
    """Return a video of one test with its cases as steps, one after another without gaps."""
    steps: list[Step] = []
    start = 0
    for case in cases:
        steps.append(Step(case.full_name, start, case.duration_ms, find_story_id(case.full_name)))
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


def _screenshots(file: str, files: Files) -> tuple[Attachment, ...]:
    """Find the screenshots of a file: Cypress puts them in a folder named like the file."""
    name = PurePosixPath(file).name
    found = [
        path for path in files.with_suffixes(".png") if name in path.relative_to(files.folder).parts
    ]
    return tuple(Attachment(path.name, guess_content_type(path), path) for path in found)


def _add_attached_videos(found: FoundVideos, case: Case, report: Path, files: Files) -> bool:
    """Add the existing videos that the case names; return whether there are any."""
    paths: list[Path] = []
    for name in case.attached:
        if path := files.find(name, report):
            paths.append(path)
        else:
            found.notes.append(f"{case.full_name}: {name} is not in {files.folder}.")
    videos = [path for path in paths if path.suffix.lower() in VIDEO_TYPES]
    others = tuple(
        Attachment(path.name, guess_content_type(path), path)
        for path in paths
        if path not in videos
    )
    for part, path in enumerate(videos):
        found.videos.append(_video_of_case(path, case, () if part else others, part))
    return bool(videos)
