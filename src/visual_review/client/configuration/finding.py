"""Finds the configuration file of a project."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

FILE_NAME: Final = "visual-review.toml"
REPOSITORY_MARK: Final = ".git"


def find_configuration(storybook: Path, current: Path) -> Path | None:
    """Return the nearest file above the built Storybook, else the nearest from ``current`` up.

    Each search ends at the root of its repository; outside of a repository, only the folder that
    it begins with counts. The Storybook itself is not searched: another job may have written it.
    """
    for start in (storybook.resolve().parent, current.resolve()):
        for folder in _list_folders(start):
            if (folder / FILE_NAME).is_file():
                return folder / FILE_NAME
    return None


def _list_folders(start: Path) -> Iterator[Path]:
    folders = [start, *start.parents]
    roots = (index for index, each in enumerate(folders) if (each / REPOSITORY_MARK).exists())
    yield from folders[: next(roots, 0) + 1]
