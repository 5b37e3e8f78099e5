"""Checks a folder as a publish would read the folder, without a server or a browser."""

from collections.abc import Collection, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from visual_review.client.capture import (
    CaptureError,
    Variant,
    is_storybook,
    read_stories,
    source_hashes,
)
from visual_review.client.capture.manifest import read_manifest
from visual_review.client.capture.preview_page import ROOT, find_sub_path, require_modules
from visual_review.client.capture.stories import INDEX_FILE, NO_STORIES_HINT
from visual_review.client.image_names import NamingOptions
from visual_review.client.publishing.build_images import Entry, Spool
from visual_review.client.publishing.image_folder import (
    ImageReader,
    map_folder,
    require_folder,
    require_usable,
)
from visual_review.client.publishing.pngs import (
    count_of,
    find_images,
    make_input_error,
    read_entries,
)
from visual_review.client.publishing.screenshots import list_images
from visual_review.client.transport.errors import InputError
from visual_review.imagediff.model import DEFAULT_LIMITS


def check_folder(folder: Path, project_root: Path | None = None, *, images_only: bool) -> str:
    """Return a description. Raises InputError or CaptureError for an unpublishable folder."""
    require_folder(folder)
    if is_storybook(folder) and not images_only:
        return _check_storybook(folder, project_root)
    return _check_images(folder, images_only=images_only)


def _check_storybook(folder: Path, project_root: Path | None) -> str:
    stories = read_stories(folder)
    if not stories:
        raise CaptureError(f"The Storybook in {folder} has no stories. {NO_STORIES_HINT}")
    sub_path = find_sub_path(folder)
    require_modules(folder, sub_path)
    sources = source_hashes(folder, project_root)
    partial = (
        "--partial can skip those whose sources did not change"
        if sources.hashes is not None
        else f"--partial would capture all of them: {sources.reason}"
    )
    place = "" if sub_path == ROOT else f", for {sub_path.rstrip('/')}"
    count = count_of(len(stories), "story", "stories")
    return f"{folder} is a built Storybook with {count}{place}; {partial}"


def _check_images(folder: Path, *, images_only: bool) -> str:
    if read_manifest(folder) is not None:
        problems: list[str] = []
        # Reading the images finds damaged files, and files not accepted by the server.
        entries = list(read_entries(folder, find_images(folder), DEFAULT_LIMITS, {}, problems))
        if problems:
            raise make_input_error(problems)
        return _describe(folder, entries, "captured by visual-review")
    if (folder / INDEX_FILE).is_file() and not images_only:
        raise InputError(
            f"{folder} has an {INDEX_FILE} but no iframe.html: build the Storybook again."
        )
    mapping = map_folder(folder, NamingOptions())
    require_usable(mapping)
    with TemporaryDirectory(prefix="visual-review-") as converted:
        reader = ImageReader(DEFAULT_LIMITS, None if images_only else Spool(Path(converted)))
        entries = list(reader.read(folder, list_images(folder, mapping)))
    if reader.problems:
        raise make_input_error(reader.problems)
    return _describe(folder, entries, f"names read as: {mapping.preset}")


def _describe(folder: Path, entries: Sequence[Entry], what: str) -> str:
    stories = {entry.story_id for entry in entries}
    return (
        f"{folder} has {count_of(len(entries), 'screenshot', 'screenshots')} of "
        f"{count_of(len(stories), 'story', 'stories')} ({what}), in "
        f"{_list_variants({entry.variant for entry in entries})}"
    )


def _list_variants(variants: Collection[Variant]) -> str:
    return ", ".join(sorted(map(str, variants)))
