"""Reads a configuration file. Its tables are named for what they are about."""

import tomllib
from pathlib import Path
from typing import Final

from visual_review.client.configuration.capture_tables import read_capture
from visual_review.client.configuration.errors import ConfigurationError
from visual_review.client.configuration.model import Configuration
from visual_review.client.configuration.tables import Source, Table

MAX_BYTES: Final = 1 << 20


def read_configuration(path: Path) -> Configuration:
    """Raises ``ConfigurationError`` with the line, or the key, of what is wrong."""
    text = _read_text(path)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{path} is not valid TOML: {error}.") from error
    root = Table(Source(str(path), text), "", document)
    configuration = Configuration(path, read_capture(root.table("capture")))
    root.finish()
    return configuration


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
