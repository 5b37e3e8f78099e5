"""Checks a folder as a publish would read it, without a server and without a browser."""

from collections.abc import Collection
from pathlib import Path

from visual_review.client.capture import (
    CaptureError,
    Variant,
    is_storybook,
    read_stories,
    source_hashes,
)
from visual_review.client.capture.manifest import read_manifest
from visual_review.client.capture.stories import INDEX_FILE
from visual_review.client.publishing.pngs import (
    NAME_FORMAT,
    find_images,
    make_input_error,
    read_entries,
)
from visual_review.client.transport.errors import InputError
from visual_review.imagediff.model import DEFAULT_LIMITS


def check_folder(folder: Path, project_root: Path | None = None, *, images_only: bool) -> str:
    """Return what the folder has. Raises InputError or CaptureError where it cannot be published."""
    if not folder.is_dir():
        raise InputError(f"There is no folder {folder}.")
    if is_storybook(folder) and not images_only:
        return _check_storybook(folder, project_root)
    return _check_images(folder)


def _check_storybook(folder: Path, project_root: Path | None) -> str:
    stories = read_stories(folder)
    if not stories:
        raise CaptureError(f"The Storybook in {folder} has no stories.")
    hashes, reason = source_hashes(folder, project_root)
    partial = (
        "--partial can skip those whose sources did not change"
        if hashes is not None
        else f"--partial would capture all of them: {reason}"
    )
    return (
        f"{folder} is a built Storybook with {_count(len(stories), 'story', 'stories')}; {partial}"
    )


def _check_images(folder: Path) -> str:
    images = find_images(folder)
    if not images:
        unfinished = (
            f" It has an {INDEX_FILE} but no iframe.html: build the Storybook again."
            if (folder / INDEX_FILE).is_file()
            else ""
        )
        raise InputError(
            f"{folder} contains neither a built Storybook (index.json and iframe.html) nor PNG "
            f"files.{unfinished} {NAME_FORMAT}"
        )
    problems: list[str] = []
    # Reading them finds damaged files, and files that the server would not accept.
    entries = list(read_entries(folder, images, DEFAULT_LIMITS, {}, problems))
    if problems:
        raise make_input_error(problems)
    stories = {entry.story_id for entry in entries}
    what = "captured by visual-review" if read_manifest(folder) is not None else "PNG files"
    return (
        f"{folder} has {_count(len(entries), 'screenshot', 'screenshots')} of "
        f"{_count(len(stories), 'story', 'stories')} ({what}), in "
        f"{_list_variants({entry.variant for entry in entries})}"
    )


def _list_variants(variants: Collection[Variant]) -> str:
    return ", ".join(sorted(map(str, variants)))


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"
