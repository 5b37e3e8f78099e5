"""What CI asks for when it publishes, already checked for form by the door."""

from dataclasses import dataclass, field

from visual_review.builds.baselines.selection import BranchKey, Origin
from visual_review.builds.variants import Variant
from visual_review.repositories.models import DEFAULT_PRODUCT, Repository


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a build comes from; ``head_repository`` is set for forks alone."""

    branch: str
    head_repository: str = ""
    pull_request: int | None = None
    base_branch: str = ""

    def in_repository(self, repository: Repository) -> "Source":
        """The same with our own repository's name left out: only forks carry one."""
        # CI may name our own repository as the head, and hosts compare names without regard to
        # case.
        if self.head_repository.casefold() != repository.full_name.casefold():
            return self
        return Source(
            branch=self.branch, pull_request=self.pull_request, base_branch=self.base_branch
        )

    def origin(self, default_branch: str) -> Origin:
        # Some CI systems know the target without the number, and the target is what counts.
        return Origin(
            own=BranchKey(self.branch, self.head_repository),
            default_branch=default_branch,
            is_pull_request=self.pull_request is not None or bool(self.base_branch),
            target_branch=self.base_branch,
        )


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """One shard's wish for a build.

    ``story_ids`` are all stories that exist, for a partial build; None makes it a full one.
    ``baseline_id`` and ``baseline_move`` are what the capture plan named.
    """

    nonce: str
    source: Source
    commit: str
    matrix: tuple[Variant, ...]
    shard: int = 1
    shards: int = 1
    product_key: str = DEFAULT_PRODUCT
    base_commit: str = ""
    merge_commit: str = ""
    merge_base_commit: str = ""
    message: str = ""
    baseline_id: str | None = None
    baseline_move: int | None = None
    story_ids: tuple[str, ...] | None = None
    detection_variants: tuple[Variant, ...] = ()
    renderer: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class AnnouncedShot:
    """One screenshot of the manifest: a picture by its hash, or the ``error`` in its place."""

    story_id: str
    title: str
    theme: str
    device: str
    sha256: str = ""
    width: int = 0
    height: int = 0
    source_hash: str = ""
    threshold: float | None = None
    error: str = ""
