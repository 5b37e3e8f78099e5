"""What CI requests when it publishes, already validated by the API."""

from dataclasses import dataclass, field

from visual_review.builds.source import BuildSource
from visual_review.builds.story_regions import Rectangles
from visual_review.builds.variants import Variant
from visual_review.repositories.models import DEFAULT_PRODUCT


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """One shard's request to create a build.

    ``story_ids`` are all existing stories, for a partial build; None makes it a full one.
    ``baseline_id`` and ``baseline_move`` come from the capture plan. ``sources_digest`` is of the
    source hashes of the existing stories of the baseline, empty where they are not known.
    """

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
    baseline_id: str | None = None
    baseline_move: int | None = None
    story_ids: tuple[str, ...] | None = None
    sources_digest: str = ""
    detection_variants: tuple[Variant, ...] = ()
    renderer: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CaptureNote:
    """What the capture found: the client's name of its kind, and a sentence for people."""

    kind: str
    text: str


@dataclass(frozen=True, kw_only=True)
class AnnouncedShot:
    """One screenshot of the manifest: an image by its hash, or an ``error`` instead.

    ``unstable`` says why the page was still changing, empty if it was not; ``notes`` are what
    else the capture found. ``regions`` are what the story ignores.
    """

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
    # A repeated capture may settle in time, and has the same contents all the same.
    unstable: str = field(default="", compare=False)
    notes: tuple[CaptureNote, ...] = field(default=(), compare=False)
    # What a story ignores is measured in the page, which may differ by a pixel.
    regions: Rectangles = field(default=(), compare=False)
