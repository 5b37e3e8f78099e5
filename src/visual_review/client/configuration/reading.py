"""Reads a configuration file, whose tables are named after their subjects."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from visual_review.client.configuration.model import CheckConfiguration, Configuration
from visual_review.client.configuration.tables import (
    ConfigurationError,
    Source,
    Table,
    read_capture,
)

FILE_NAME: Final = "visual-review.toml"
REPOSITORY_MARK: Final = ".git"
MAX_BYTES: Final = 1 << 20


def read_configuration(path: Path) -> Configuration:
    """Raises ``ConfigurationError`` with the line, or the key, of the mistake."""
    text = _read_text(path)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}.") from error
    root = Table(Source(str(path), text), "", document)
    configuration = Configuration(
        path, read_capture(root.table("capture")), _read_check(root.table("check"))
    )
    root.finish()
    return configuration


def _read_check(table: Table) -> CheckConfiguration:
    found = CheckConfiguration(
        server=table.string("server"),
        repository=table.string("repository"),
        base_branch=table.string("base-branch"),
        build=table.string("build"),
    )
    table.finish()
    return found


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ConfigurationError(f"{path} is larger than {MAX_BYTES >> 20} MB.")
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text: {error}.") from error
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.") from error


def find_configuration(storybook: Path, current: Path) -> Path | None:
    """Return the nearest file above the built Storybook, else the nearest from ``current`` up.

    Each search ends at the root of the repository; outside of a repository, only the starting
    folder counts. The Storybook itself is not searched: another job may have written the Storybook.
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
