"""All images of one story and variant: versions of the baseline, and builds that differed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet

from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    BaselineMove,
    Build,
    Image,
    Screenshot,
)
from visual_review.builds.reviewing.variant_history import HistoryPage, load_history
from visual_review.builds.variants import VariantKey
from visual_review.repositories.models import Product

MOST_SHOTS: Final = 30
MOST_BRANCHES: Final = 20


@dataclass(frozen=True)
class StoryVersion:
    """One image of the story: of a version of the baseline (``move``), or of a build's screenshot."""

    at: datetime
    image: Image
    build: Build | None
    move: BaselineMove | None = None
    shot: Screenshot | None = None


@dataclass(frozen=True)
class StoryVersions:
    """The newest images first, and the builds that were searched for them."""

    versions: Sequence[StoryVersion]
    history: HistoryPage


@dataclass(frozen=True)
class BranchEntry:
    """A branch whose baseline has the story, and whether with the default branch's image."""

    entry: BaselineEntry
    is_as_default: bool


def load_versions(product: Product, variant: VariantKey, before: int | None) -> StoryVersions:
    """Return the versions on the default branch, and the builds before ``before`` that differed.

    Without ``before`` it returns the newest builds, and only then the versions, too.
    """
    chosen = {"theme": variant.theme, "device": variant.device}
    history = load_history(product, variant.story_id, chosen, before, MOST_SHOTS)
    found = [version for row in history.rows if (version := _of_shot(row))]
    if before is None:
        found += _of_baseline(product, variant)
    return StoryVersions(sorted(found, key=lambda each: each.at, reverse=True), history)


def _of_shot(row: Screenshot) -> StoryVersion | None:
    # A removed story has no image, and neither has one that failed.
    image = row.image
    return StoryVersion(row.build.created_at, image, row.build, shot=row) if image else None


def _of_baseline(product: Product, variant: VariantKey) -> Iterator[StoryVersion]:
    baseline = Baseline.objects.filter(
        product=product, head_repository="", branch=product.repository.default_branch
    ).first()
    if baseline is None:
        return
    entries = list(_entries(product, variant).filter(baseline=baseline))
    moves = BaselineMove.objects.filter(
        baseline=baseline, sequence__in=[entry.from_move for entry in entries]
    )
    by_number = {move.sequence: move for move in moves.select_related("build")}
    for entry in entries:
        if move := by_number.get(entry.from_move):
            yield StoryVersion(move.moved_at, entry.image, move.build, move)


def branches_of(product: Product, variant: VariantKey) -> tuple[list[BranchEntry], int]:
    """Return branches whose baselines have the story, the default branch first, and how many more."""
    default = product.repository.default_branch
    live = (
        _entries(product, variant)
        .filter(to_move=None, baseline__last_move__gte=1)
        .select_related("baseline")
    )
    rows = sorted(live, key=lambda each: (str(each.baseline) != default, str(each.baseline)))
    image = rows[0].image_id if rows and str(rows[0].baseline) == default else None
    shown = rows[:MOST_BRANCHES]
    return [BranchEntry(row, row.image_id == image) for row in shown], len(rows) - len(shown)


def _entries(product: Product, variant: VariantKey) -> QuerySet[BaselineEntry]:
    rows = BaselineEntry.objects.filter(baseline__product=product, **variant._asdict())
    return rows.select_related("image")
