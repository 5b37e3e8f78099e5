"""Captures the stories of a built Storybook as images."""

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.results import CaptureReport, CaptureSettings, Renderer, Shot
from visual_review.client.capture.run import OnShot, capture
from visual_review.client.capture.sources import SourceHashes, source_hashes
from visual_review.client.capture.stories import Story, is_storybook, read_stories
from visual_review.client.capture.variants import (
    ALL_VARIANTS,
    DEVICES,
    THEMES,
    Device,
    Theme,
    Variant,
    Viewport,
    file_name,
)

__all__ = [
    "ALL_VARIANTS",
    "DEVICES",
    "THEMES",
    "CaptureError",
    "CaptureReport",
    "CaptureSettings",
    "Device",
    "OnShot",
    "Renderer",
    "Shot",
    "SourceHashes",
    "Story",
    "Theme",
    "Variant",
    "Viewport",
    "capture",
    "file_name",
    "is_storybook",
    "read_stories",
    "source_hashes",
]
