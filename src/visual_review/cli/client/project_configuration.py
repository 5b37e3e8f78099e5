"""Finds and reads the configuration of a project, for the commands that capture."""

from pathlib import Path

from visual_review.client.configuration import (
    Configuration,
    ConfigurationError,
    find_configuration,
    read_configuration,
)


def load_configuration(folder: Path, chosen: Path | None) -> Configuration:
    """Return the configuration: chosen, found, or empty. Raises ``ConfigurationError``."""
    if chosen is not None and not chosen.is_file():
        raise ConfigurationError(f"There is no configuration at {chosen}. Correct --config.")
    path = chosen or find_configuration(folder, Path.cwd())
    return Configuration() if path is None else read_configuration(path)
