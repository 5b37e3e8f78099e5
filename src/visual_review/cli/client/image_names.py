"""``visual-review publish --explain``: prints how the names of a folder's images are read."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.output import print_json
from visual_review.cli.client.publish_choices import PublishChoices
from visual_review.client.capture import is_storybook
from visual_review.client.capture.manifest import MANIFEST_FILE
from visual_review.client.image_names import NamedImage, NameMapping
from visual_review.client.publishing.image_folder import (
    describe_reading,
    map_folder,
    require_folder,
    require_usable,
)
from visual_review.client.publishing.pngs import count_of
from visual_review.client.publishing.screenshots import TestResults, name_own
from visual_review.client.terminal import printable
from visual_review.client.test_results import Source, Sources
from visual_review.client.test_results.playwright_folder import choose_folder
from visual_review.client.transport.errors import InputError

STATES: Final = {
    "file": "read from",
    "expectation": "read from",
    "actual": "read from",
    "failed": "published as failed",
    "taken_over": "taken over from the baseline",
    "left_out": "left out",
}


def explain_names(choices: PublishChoices) -> None:
    """Print story, variant and file of each image; sends nothing.

    Raises InputError for unpublishable images, after the table.
    """
    folder, as_json = choices.folder, choices.as_json
    require_folder(folder)
    if is_storybook(folder) or (folder / MANIFEST_FILE).exists():
        raise InputError(f"--explain is for folders of images; the stories of {folder} are known.")
    if not choices.as_is:
        folder = choose_folder(folder)
    mapping = map_folder(folder, choices.naming, may_be_empty=bool(choices.report))
    sources, problem = _find_sources(folder, mapping, choices)
    if as_json and not mapping.problems and problem is None:
        print_json(make_mapping_document(mapping, sources))
    elif not as_json:
        print_mapping(mapping, sources)
    if mapping.images or not choices.report:
        require_usable(mapping)
    if problem is not None:
        raise problem


def _find_sources(
    folder: Path, mapping: NameMapping, choices: PublishChoices
) -> tuple[Sources, InputError | None]:
    if choices.as_is or not (mapping.images or choices.report):
        return Sources(), None
    with TemporaryDirectory(prefix="visual-review-") as scratch:
        results = TestResults(
            Path(scratch), tuple(choices.report or ()), inside_only=choices.images_only
        )
        try:
            return results.find_sources(folder, mapping), None
        except InputError as error:
            return Sources(), error


def make_mapping_document(mapping: NameMapping, sources: Sources) -> dict[str, Any]:
    """Return the document of ``--explain --json``."""
    return {
        "namePattern": mapping.preset,
        "screenshots": [
            {
                "file": image.file,
                "storyId": image.story_id,
                "title": image.title,
                "theme": image.theme,
                "device": image.device,
                "assumed": image.assumed,
                **_describe_source(sources.by_file.get(image.file), image.file),
            }
            for image in mapping.images
        ],
        "failedTests": [{"test": test.place, "error": test.error} for test in sources.failures],
        "ignored": mapping.ignored,
    }


def _describe_source(source: Source | None, file: str) -> dict[str, str | None]:
    """Return the published file, None without a file, and the reason."""
    if source is None:
        return {"publishes": file, "source": "file", "reason": ""}
    read = source.archive or source.path
    path = None if read is None else read.as_posix()
    return {"publishes": path, "source": source.state, "reason": source.reason}


def print_mapping(mapping: NameMapping, sources: Sources) -> None:
    console = make_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("file", "story", "theme", "device"):
        table.add_column(name, overflow="fold")
    for image in mapping.images:
        table.add_row(*(Text(printable(cell)) for cell in _list_cells(image)))
    console.print(table)
    _print_sources(console, mapping, sources)
    for name, reason in sorted(mapping.ignored.items()):
        print_line(console, f"ignored: {name} {reason}")
    for line in describe_reading(mapping):
        print_line(console, line)
    screenshots = count_of(len(mapping.images), "screenshot", "screenshots")
    stories = count_of(len({image.story_id for image in mapping.images}), "story", "stories")
    print_line(console, f"{screenshots} of {stories}. Nothing was sent.")


def _print_sources(console: Console, mapping: NameMapping, sources: Sources) -> None:
    """Print the file and the reason for each screenshot of a test."""
    for name, source in sorted(sources.by_file.items()):
        if name not in mapping.ignored:
            read = source.archive or source.path
            path = f" {read}" if read is not None else ""
            test = f" ({source.test})" if source.test else ""
            print_line(console, f"{name}: {STATES[source.state]}{path}: {source.reason}{test}")
    for owner, shot in sources.own:
        image = name_own(owner, shot)
        read_from = f"read from {shot.path}" if shot.path else f"published as failed: {shot.error}"
        variant = f"{image.theme}-{image.device}"
        print_line(console, f"{image.title} {variant}: {read_from} ({owner.place})")
    for failure in sources.failures:
        print_line(console, f"failed without a screenshot: {failure.place}: {failure.error}")


def _list_cells(image: NamedImage) -> tuple[str, str, str, str]:
    """Return the cells of a line, with parts missing in the name in parentheses."""
    theme, device = (
        f"({value})" if kind in image.assumed else value
        for kind, value in (("theme", image.theme), ("device", image.device))
    )
    return image.file, image.title, theme, device
