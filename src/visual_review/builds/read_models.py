"""Builds and screenshots as lists show them, read without models.

For thousands of rows, making models takes most of the time of a call.
"""

from datetime import datetime
from typing import NamedTuple

from visual_review.builds.models import Build, Screenshot
from visual_review.builds.queries import ORDER, published_builds
from visual_review.repositories.models import Repository


class BuildRow(NamedTuple):
    """A published build. Here and below, names are those that a query knows the columns by."""

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
    """A screenshot with what names its pictures."""

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
    comment: str
    image__sha256: str | None
    baseline_image__sha256: str | None
    comparison__key: str | None
    comparison__has_picture: bool | None


def newest_builds(repository: Repository, product_key: str | None, limit: int) -> list[BuildRow]:
    """The newest published builds, newest first; of one product or of all."""
    rows = published_builds(repository, product_key).values_list(*BuildRow._fields)
    return [BuildRow(*row) for row in rows[:limit]]


def screenshot_rows(build: Build) -> list[ScreenshotRow]:
    """The build's screenshots, what needs a look first."""
    rows = Screenshot.objects.filter(build=build, detection_only=False)
    found = [ScreenshotRow(*row) for row in rows.values_list(*ScreenshotRow._fields)]
    # Sorted here: the order of the states is ours, and the rows are read whole anyway.
    return sorted(
        found, key=lambda row: (ORDER[row.diff_state], row.story_id, row.theme, row.device)
    )
