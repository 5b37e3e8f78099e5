"""Matches videos with the test cases of any report."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Final

from visual_review.client.recordings.case_index import Case, CaseIndex, find_story_id
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

# Worst first: a video of several cases gets the worst outcome.
_WORST: Final[tuple[Outcome, ...]] = (
    "failed",
    "timed_out",
    "interrupted",
    "flaky",
    "passed",
    "skipped",
)


def match_videos(cases: Sequence[Case], report: Path, files: Files) -> FoundVideos:
    """Match every video of the folder with a case, or with a file of cases."""
    found = FoundVideos(has_cases=True)
    unmatched = [case for case in cases if not _add_attached_videos(found, case, report, files)]
    matched = {video.path for video in found.videos}
    index = CaseIndex(unmatched)
    screenshots = _screenshots_by_part(files)
    # Screenshots of cases without a video are not uploaded alone.
    for path in files.videos():
        if path in matched:
            continue
        name = files.relative(path)
        # Cypress records one video per file, named after the file with the extension.
        if spec := index.cases_of_file(name, whole=True):
            found.videos.append(_video_of_file(path, spec, screenshots))
        elif video := _guess_video(path, name, index, screenshots):
            found.videos.append(video)
            found.guessed.add(path)
    return found


def _guess_video(
    path: Path, name: str, index: CaseIndex, screenshots: Mapping[str, Sequence[Path]]
) -> Video | None:
    if case := index.best_match(name):
        return _video_of_case(path, case)
    if spec := index.cases_of_file(name, whole=False):
        return _video_of_file(path, spec, screenshots)
    return None


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


def _video_of_file(
    path: Path, cases: Sequence[Case], screenshots: Mapping[str, Sequence[Path]]
) -> Video:
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
        attachments=_attach(screenshots.get(PurePosixPath(cases[0].file).name, ())),
    )


def _attach(paths: Iterable[Path]) -> tuple[Attachment, ...]:
    return tuple(Attachment(path.name, guess_content_type(path), path) for path in paths)


def _screenshots_by_part(files: Files) -> dict[str, list[Path]]:
    """Index the screenshots by each part of their paths.

    Cypress puts the screenshots of a spec file in a folder with the name of the spec file.
    """
    found: dict[str, list[Path]] = {}
    for path in files.with_suffixes(".png"):
        for part in dict.fromkeys(path.relative_to(files.folder).parts):
            found.setdefault(part, []).append(path)
    return found


def _add_attached_videos(found: FoundVideos, case: Case, report: Path, files: Files) -> bool:
    """Add the existing videos named by the case; return whether there are any."""
    paths: list[Path] = []
    for name in case.attached:
        if path := files.find(name, report):
            paths.append(path)
        else:
            found.notes.append(f"{case.full_name}: {name} is not in {files.folder}.")
    videos = [path for path in paths if path.suffix.lower() in VIDEO_TYPES]
    others = _attach(path for path in paths if path.suffix.lower() not in VIDEO_TYPES)
    for part, path in enumerate(videos):
        found.videos.append(_video_of_case(path, case, () if part else others, part))
    return bool(videos)
