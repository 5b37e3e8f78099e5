"""Hashes of what each story is made of, so that unchanged stories need not be captured again."""

from visual_review.client.capture.sources.fingerprint import describe_changes
from visual_review.client.capture.sources.hashes import (
    SourceHashes,
    StorySources,
    digest_preview,
    source_hashes,
)
from visual_review.client.capture.sources.renderer import read_renderer

__all__ = [
    "SourceHashes",
    "StorySources",
    "describe_changes",
    "digest_preview",
    "read_renderer",
    "source_hashes",
]
