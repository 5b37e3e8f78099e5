"""``visual-review publish --explain``: prints how the names of a folder's images are read."""

from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from visual_review.cli.client.console import make_console, print_line
from visual_review.cli.client.output import print_json
from visual_review.client.capture import is_storybook
from visual_review.client.capture.manifest import MANIFEST_FILE
from visual_review.client.image_names import NamedImage, NameMapping, Naming
from visual_review.client.publishing.folder_files import require_folder
from visual_review.client.publishing.image_folder import (
    count_of,
    describe_reading,
    map_folder,
    require_usable,
)
from visual_review.client.terminal import printable
from visual_review.client.transport.errors import InputError


def explain_names(folder: Path, naming: Naming, *, as_json: bool) -> None:
    """Print story and variant of each image; reads no image and sends nothing.

    Raises InputError for names that could not be published, after the table.
    """
    require_folder(folder)
    if is_storybook(folder) or (folder / MANIFEST_FILE).exists():
        raise InputError(f"--explain is for folders of images; the stories of {folder} are known.")
    mapping = map_folder(folder, naming)
    if as_json and not mapping.problems:
        print_json(make_mapping_document(mapping))
    elif not as_json:
        print_mapping(mapping)
    require_usable(mapping)


def make_mapping_document(mapping: NameMapping) -> dict[str, Any]:
    """Return what ``--explain --json`` prints."""
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
            }
            for image in mapping.images
        ],
        "ignored": mapping.ignored,
    }


def print_mapping(mapping: NameMapping) -> None:
    console = make_console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("file", "story", "theme", "device"):
        table.add_column(name, overflow="fold")
    for image in mapping.images:
        table.add_row(*(Text(printable(cell)) for cell in _list_cells(image)))
    console.print(table)
    for name, reason in sorted(mapping.ignored.items()):
        print_line(console, f"ignored: {name} {reason}")
    for line in describe_reading(mapping):
        print_line(console, line)
    screenshots = count_of(len(mapping.images), "screenshot", "screenshots")
    stories = count_of(len({image.story_id for image in mapping.images}), "story", "stories")
    print_line(console, f"{screenshots} of {stories}. Nothing was sent.")


def _list_cells(image: NamedImage) -> tuple[str, str, str, str]:
    """Return the cells of a line; what the name does not say is in parentheses."""
    theme, device = (
        f"({value})" if kind in image.assumed else value
        for kind, value in (("theme", image.theme), ("device", image.device))
    )
    return image.file, image.title, theme, device
