"""Reads ``visual-review.toml``, the settings of a project for capture, check and publish."""

from visual_review.client.configuration.model import (
    CaptureConfiguration,
    Configuration,
)
from visual_review.client.configuration.reading import (
    FILE_NAME,
    find_configuration,
    read_configuration,
)
from visual_review.client.configuration.tables import ConfigurationError, read_capture

__all__ = [
    "FILE_NAME",
    "CaptureConfiguration",
    "Configuration",
    "ConfigurationError",
    "find_configuration",
    "read_capture",
    "read_configuration",
]
