"""Builds and screenshots for lists, read without model instances.

For thousands of rows, creating model instances takes most of the time of a call.
"""

from datetime import datetime
from operator import attrgetter
from typing import NamedTuple

from django.db.models import F, Func, TextField

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import published_builds
from visual_review.builds.states import UNCHANGED, review_rank
from visual_review.repositories.queries import require_listed

# Thousands of screenshots may have changed, each in dozens of areas. As text: most readers want
# no objects, and parsing 12,000 values one by one takes as long as the query.
WORST_CHANGES = Func(
    F("comparison__changes"),
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
    image__sha256: str | None
    baseline_image__sha256: str | None
    comparison__key: str | None
    comparison__has_picture: bool | None
    image__has_thumbnail: bool | None
    baseline_image__has_thumbnail: bool | None
    image__width: int | None
    image__height: int | None
    baseline_image__width: int | None
    baseline_image__height: int | None
    comparison__has_thumbnail: bool | None
    comparison__kind: str | None
    comparison__summary: str | None
    comparison__severity: float | None
    comparison__aligned_ratio: float | None
    comparison__faint_pixels: int | None
    group_id: str | None
    group__position: int | None
    worst_changes: str | None

    @property
    def rank(self) -> tuple[int, int, float]:
        """The sort key of screenshots: the state, then the group, then the severity."""
        return review_rank(self.diff_state, self.group__position, self.comparison__severity)


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
    rows = rows.annotate(worst_changes=WORST_CHANGES)
    columns = rows.values_list(*ScreenshotRow._fields)
    found = [ScreenshotRow(*each) for each in columns]
    # Sorted in Python: the order of the states is ours, and all rows are read anyway.
    found.sort(key=STORY_AND_VARIANT)
    found.sort(key=_rank)
    return found


def _rank(row: ScreenshotRow) -> tuple[int, int, float]:
    # Most of a build is unchanged and equal, so its rows have the same rank.
    if row.diff_state == UNCHANGED and not row.comparison__severity and row.group_id is None:
        return UNCHANGED_RANK
    return row.rank
