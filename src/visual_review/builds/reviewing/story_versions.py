"""One story and variant: its versions in the baseline, and its history in a product's builds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    BaselineVersion,
    Build,
    Image,
    Screenshot,
)
from visual_review.builds.reviewing.evidence import current_evidence
from visual_review.builds.states import COMPLETED, UNCHANGED
from visual_review.builds.variants import VariantKey
from visual_review.repositories.models import Product

# The number of builds read at once. No index begins with a story, so builds are found first.
BUILDS_AT_ONCE: Final = 100
# The most builds a page searches for changes of a rarely changing story.
MOST_BUILDS: Final = 500
MOST_SHOTS: Final = 30
MOST_VERSIONS: Final = 30
MOST_BRANCHES: Final = 20
# The baselines to search for a story: the default branch's and the newest others.
SEARCHED_BRANCHES: Final = 100


@dataclass(frozen=True)
class HistoryPage:
    """Screenshots of a story with their builds and evidence, the newest build's first.

    ``searched`` counts the builds looked at. The next page begins below the number ``next_build``,
    None without older builds.
    """

    rows: Sequence[Screenshot]
    searched: int
    next_build: int | None


def load_history(
    product: Product, story_id: str, variant: Mapping[str, str], before: int | None, most: int
) -> HistoryPage:
    """Return the screenshots changed, unstable or decided in builds before one.

    ``variant`` limits the screenshots to a ``theme`` or ``device``. A page ends with a whole build,
    after at least ``most`` screenshots.
    """
    rows: list[Screenshot] = []
    searched = 0
    while len(rows) < most and searched < MOST_BUILDS:
        builds = _builds(product, before)
        found = _by_build(builds, story_id, variant)
        for build in builds:
            rows += found.get(build.pk, [])
            before, searched = build.number, searched + 1
            if len(rows) >= most:
                break
        if len(builds) < BUILDS_AT_ONCE:
            break
    older = Build.objects.filter(product=product, status=COMPLETED, number__lt=before or 0)
    return HistoryPage(rows, searched, before if before and older.exists() else None)


def has_story(product: Product, story_id: str) -> bool:
    """Whether one of the last builds of the product has the story."""
    builds = [build.pk for build in _builds(product, None)]
    return Screenshot.objects.filter(build__in=builds, story_id=story_id).exists()


def newest_build(product: Product) -> Build | None:
    return Build.objects.filter(product=product, status=COMPLETED).order_by("-number").first()


def _builds(product: Product, before: int | None) -> list[Build]:
    rows = Build.objects.filter(product=product, status=COMPLETED).order_by("-number")
    return list((rows if before is None else rows.filter(number__lt=before))[:BUILDS_AT_ONCE])


def _by_build(
    builds: Sequence[Build], story_id: str, variant: Mapping[str, str]
) -> dict[str, list[Screenshot]]:
    by_id = {build.pk: build for build in builds}
    found: dict[str, list[Screenshot]] = {}
    for row in _rows(builds, story_id).filter(**variant):
        row.build = by_id[row.build_id]
        found.setdefault(row.build_id, []).append(row)
    return found


def _rows(builds: Sequence[Build], story_id: str) -> QuerySet[Screenshot, Any]:
    notable = ~Q(diff_state=UNCHANGED) | ~Q(unstable="") | ~Q(comment="")
    rows = Screenshot.objects.filter(
        notable, build__in=[build.pk for build in builds], story_id=story_id, detection_only=False
    )
    ordered = rows.order_by("theme", "device").select_related("comparison", "image")
    return ordered.annotate(evidence=current_evidence())


@dataclass(frozen=True)
class StoryVersion:
    """One image of the story: from a version of the baseline (``baseline_version``), or from a build."""

    at: datetime
    image: Image
    build: Build | None
    baseline_version: BaselineVersion | None = None
    shot: Screenshot | None = None


@dataclass(frozen=True)
class StoryVersions:
    """The newest images first, and the searched builds."""

    versions: Sequence[StoryVersion]
    history: HistoryPage
    # Whether the baseline has older versions, which are left out.
    has_more: bool


@dataclass(frozen=True)
class BranchEntry:
    """A branch whose baseline has the story, and whether with the default branch's image."""

    entry: BaselineEntry
    is_as_default: bool


def load_versions(product: Product, variant: VariantKey, before: int | None) -> StoryVersions:
    """Return the newest versions on the default branch, and the differing builds before ``before``.

    Without ``before``, the result has the newest builds, and only then the versions, too.
    """
    chosen = {"theme": variant.theme, "device": variant.device}
    history = load_history(product, variant.story_id, chosen, before, MOST_SHOTS)
    found = [version for row in history.rows if (version := _of_shot(row))]
    of_baseline = list(_of_baseline(product, variant)) if before is None else []
    found += of_baseline[:MOST_VERSIONS]
    versions = sorted(found, key=lambda each: each.at, reverse=True)
    return StoryVersions(versions, history, len(of_baseline) > MOST_VERSIONS)


def _of_shot(row: Screenshot) -> StoryVersion | None:
    # A removed or failed story has no image.
    image = row.image
    return StoryVersion(row.build.created_at, image, row.build, shot=row) if image else None


def _of_baseline(product: Product, variant: VariantKey) -> Iterator[StoryVersion]:
    baseline = _default_baseline(product)
    if baseline is None:
        return
    rows = BaselineEntry.objects.filter(baseline=baseline, **variant._asdict())
    entries = rows.select_related("image").order_by("-from_version")[: MOST_VERSIONS + 1]
    numbered = BaselineVersion.objects.filter(
        baseline=baseline, sequence__in=[entry.from_version for entry in entries]
    )
    # With a join, the database may read the builds of all repositories.
    by_number = {version.sequence: version for version in numbered.prefetch_related("build")}
    for entry in entries:
        if version := by_number.get(entry.from_version):
            yield StoryVersion(version.created_at, entry.image, version.build, version)


def branches_of(product: Product, variant: VariantKey) -> tuple[list[BranchEntry], int]:
    """Return branches whose baselines have the story, the default branch first, and how many more.

    Only the newest branches are searched.
    """
    default = product.repository.default_branch
    rows = BaselineEntry.objects.filter(baseline__in=searched_baselines(product), to_version=None)
    # As above, a join may read all baselines.
    live = rows.filter(**variant._asdict()).prefetch_related("baseline", "image")
    found = sorted(live, key=lambda each: (str(each.baseline) != default, str(each.baseline)))
    image = found[0].image_id if found and str(found[0].baseline) == default else None
    shown = found[:MOST_BRANCHES]
    return [BranchEntry(row, row.image_id == image) for row in shown], len(found) - len(shown)


def searched_baselines(product: Product) -> list[str]:
    """Return the ids of the baselines to search for a story."""
    # A detached baseline has no version.
    rows = Baseline.objects.filter(product=product, last_version__gte=1)
    newest = rows.order_by("-pk")[:SEARCHED_BRANCHES]
    default = _default_baseline(product)
    return [each.pk for each in (default, *newest) if each]


def _default_baseline(product: Product) -> Baseline | None:
    return Baseline.objects.filter(
        product=product, head_repository="", branch=product.repository.default_branch
    ).first()
