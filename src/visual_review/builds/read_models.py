"""Builds and screenshots for lists, read without model instances.

For thousands of rows, creating model instances takes most of the time of a call.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.db.models import F, Func, QuerySet, TextField

from visual_review.builds.models import Build, ChangeGroup, Comparison, Image, Screenshot
from visual_review.builds.queries import published_builds
from visual_review.builds.states import UNCHANGED, review_rank
from visual_review.repositories.queries import require_listed

# Thousands of screenshots may have changed, each in dozens of areas. As text: most readers want
# no objects, and parsing 12,000 values one by one takes as long as the query.
WORST_CHANGES = Func(
    F("changes"),
    function="jsonb_path_query_array",
    template="%(function)s(%(expressions)s, '$[0 to 9]')::text",
    output_field=TextField(),
)


class BuildRow(NamedTuple):
    """A published build. Fields, here and below, are named after the columns in the query."""

    id: str
    number: int
    product__key: str
    branch: str
    head_repository: str
    commit: str
    pull_request: int | None
    status: str
    changed_count: int
    new_count: int
    removed_count: int
    review_state: str
    decided_by_name: str
    decided_client: str
    decided_at: datetime | None
    decision_source: str
    superseded_by_id: str | None
    created_at: datetime


class ScreenshotRow(NamedTuple):
    """A screenshot with the hashes and keys of its images, and its worst changes."""

    id: str
    story_id: str
    title: str
    theme: str
    device: str
    diff_state: str
    diff_ratio: float
    message: str
    inherited: bool
    only_in_regions: bool
    matches_former_baseline: bool
    review_decision: str
    decided_by_name: str
    decided_client: str
    decided_at: datetime | None
    decision_source: str
    carried_from_id: str
    comment: str
    group_id: str | None
    group__position: int | None
    image__sha256: str | None
    image__has_thumbnail: bool | None
    image__width: int | None
    image__height: int | None
    baseline_image__sha256: str | None
    baseline_image__has_thumbnail: bool | None
    baseline_image__width: int | None
    baseline_image__height: int | None
    comparison__key: str | None
    comparison__has_picture: bool | None
    comparison__has_thumbnail: bool | None
    comparison__kind: str | None
    comparison__summary: str | None
    comparison__severity: float | None
    comparison__aligned_ratio: float | None
    comparison__faint_pixels: int | None
    comparison__worst_changes: str | None

    @property
    def rank(self) -> tuple[int, int, float]:
        """The sort key of screenshots: the state, then the group, then the severity."""
        return review_rank(self.diff_state, self.group__position, self.comparison__severity)


RELATED: Final[Mapping[str, QuerySet[Any]]] = {
    "group": ChangeGroup.objects.all(),
    "image": Image.objects.all(),
    "baseline_image": Image.objects.all(),
    "comparison": Comparison.objects.annotate(worst_changes=WORST_CHANGES),
}
STORY_AND_VARIANT = attrgetter("story_id", "theme", "device")
UNCHANGED_RANK = review_rank(UNCHANGED, None, None)


def newest_builds(
    organization_id: str, repository_id: str, product_key: str | None, limit: int
) -> list[BuildRow]:
    """Return the newest ``limit`` published builds, newest first; of one product or of all.

    Raises NotFoundError for another organization's repository, and for an unknown product.
    """
    found = published_builds(repository_id, product_key).filter(
        repository__organization_id=organization_id, repository__removed_at=None
    )
    rows = [BuildRow(*columns) for columns in found.values_list(*BuildRow._fields)[:limit]]
    if not rows:
        require_listed(organization_id, repository_id, product_key)
    return rows


def screenshot_rows(build: Build) -> list[ScreenshotRow]:
    """Return the build's screenshots, the ones to review first."""
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    found = [ScreenshotRow(*values) for values in values_with_related(rows, ScreenshotRow._fields)]
    # Sorted in Python: the order of the states is ours, and all rows are read anyway.
    found.sort(key=STORY_AND_VARIANT)
    found.sort(key=_rank)
    return found


def values_with_related(
    rows: QuerySet[Screenshot], names: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    """Yield columns of screenshots; ``names`` end with columns of RELATED in this order.

    Related rows are read by their ids, from neighboring places. A join would search whole tables
    for each screenshot: four times the reads in a store of a million screenshots.
    """
    own = [name for name in names if "__" not in name]
    related = [key for key in RELATED if any(name.startswith(f"{key}__") for name in names)]
    table = list(rows.values_list(*(f"{key}_id" for key in related), *own))
    values = [
        _values_by_id(key, names, {row[place] for row in table})
        for place, key in enumerate(related)
    ]
    for row in table:
        found = zip(values, row, strict=False)
        # A group or a comparison may have been replaced since the first statement; then the
        # screenshot refers to none, as the foreign key is set to null.
        nested = (by_id.get(pk, by_id[None]) for by_id, pk in found)
        yield *row[len(related) :], *chain.from_iterable(nested)


def _values_by_id(
    key: str, names: Sequence[str], ids: Collection[int | str | None]
) -> dict[int | str | None, Sequence[Any]]:
    columns = [name.removeprefix(f"{key}__") for name in names if name.startswith(f"{key}__")]
    rows = RELATED[key].filter(pk__in=set(ids) - {None}).values_list("pk", *columns)
    return {pk: values for pk, *values in rows} | {None: (None,) * len(columns)}


def _rank(row: ScreenshotRow) -> tuple[int, int, float]:
    # Most of a build is unchanged and equal, so its rows have the same rank.
    if row.diff_state == UNCHANGED and not row.comparison__severity and row.group_id is None:
        return UNCHANGED_RANK
    return row.rank
