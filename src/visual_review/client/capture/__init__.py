"""Captures the stories of a built Storybook as images.

``run.capture`` is not exported here: the import loads the browser's driver, and most callers of the
other names do not need the driver.
"""

from visual_review.client.capture.errors import CaptureError
from visual_review.client.capture.results import (
    CaptureReport,
    CaptureSettings,
    Region,
    Renderer,
    Shot,
    clip_regions,
)
from visual_review.client.capture.sources import (
    NOT_HASHED,
    Fingerprint,
    SourceHashes,
    StorySources,
    describe_changes,
    hash_renderer,
    source_hashes,
)
from visual_review.client.capture.stories import (
    Story,
    TagFilter,
    describe_left_out,
    is_storybook,
    read_stories,
)
from visual_review.client.capture.variants import ALL_VARIANTS, Variant, file_name

__all__ = [
    "ALL_VARIANTS",
    "NOT_HASHED",
    "CaptureError",
    "CaptureReport",
    "CaptureSettings",
    "Fingerprint",
    "Region",
    "Renderer",
    "Shot",
    "SourceHashes",
    "Story",
    "StorySources",
    "TagFilter",
    "Variant",
    "clip_regions",
    "describe_changes",
    "describe_left_out",
    "file_name",
    "hash_renderer",
    "is_storybook",
    "read_stories",
    "source_hashes",
]
