"""Requests of CI for publishing, already validated by the API."""

from dataclasses import dataclass, field

from visual_review.builds.source import BuildSource
from visual_review.builds.story_regions import Rectangles
from visual_review.builds.variants import Variant
from visual_review.repositories.models import DEFAULT_PRODUCT


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """One shard's request to create a build."""

    nonce: str
    source: BuildSource
    commit: str
    matrix: tuple[Variant, ...]
    shard: int = 1
    shards: int = 1
    product_key: str = DEFAULT_PRODUCT
    base_commit: str = ""
    merge_commit: str = ""
    merge_base_commit: str = ""
    message: str = ""
    author: str = ""
    # From the capture plan, like the version.
    baseline_id: str | None = None
    baseline_version: int | None = None
    # All existing stories, for a partial build; None makes it a full one.
    story_ids: tuple[str, ...] | None = None
    # Of the source hashes of the existing stories in the baseline, empty if unknown.
    sources_digest: str = ""
    detection_variants: tuple[Variant, ...] = ()
    renderer: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureNote:
    """A finding of the capture: the client's name of its kind, and a sentence for people."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AnnouncedShot:
    """One screenshot of the manifest: an image by its hash, or an ``error`` instead."""

    story_id: str
    title: str
    theme: str
    device: str
    sha256: str = ""
    width: int = 0
    height: int = 0
    source_hash: str = ""
    renderer_hash: str = ""
    threshold: float | None = None
    error: str = ""
    # Why the page was still changing, empty for a stable page. A repeated capture may settle in
    # time, with equal contents all the same.
    unstable: str = field(default="", compare=False)
    # Other findings of the capture.
    notes: tuple[CaptureNote, ...] = field(default=(), compare=False)
    # The rectangles ignored by the story, measured in the page; a repetition may differ by a pixel.
    regions: Rectangles = field(default=(), compare=False)
