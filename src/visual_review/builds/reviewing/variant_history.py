"""The history of a story in the last builds of its product: changes and decisions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Q, QuerySet

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.reviewing.evidence import current_evidence
from visual_review.builds.states import COMPLETED, UNCHANGED
from visual_review.repositories.models import Product

# The number of builds read at once. No index begins with a story, so builds are found first.
BUILDS_AT_ONCE: Final = 100
# The most builds a page searches for changes of a rarely changing story.
MOST_BUILDS: Final = 500


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
