"""Hashes of the sources of each story, so that unchanged stories need not be captured again."""

from visual_review.client.capture.sources.fingerprint import (
    NOT_HASHED,
    Fingerprint,
    describe_changes,
)
from visual_review.client.capture.sources.hashes import (
    SourceHashes,
    StorySources,
    digest_preview,
    source_hashes,
)
from visual_review.client.capture.sources.renderer import hash_renderer

__all__ = [
    "NOT_HASHED",
    "Fingerprint",
    "SourceHashes",
    "StorySources",
    "describe_changes",
    "digest_preview",
    "hash_renderer",
    "source_hashes",
]
