"""Every night: what is kept longer than the settings say goes. Baselines never do."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Sum
from procrastinate.contrib.django import app

from visual_review.accounts.models import Organization
from visual_review.builds.images.render_cache import delete_rendered_before
from visual_review.builds.retention.builds import delete_expired_build, past_builds
from visual_review.builds.retention.unused_images import delete_all_unused, unused_images
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now
from visual_review.recordings.retention import past_recordings, retire_recording
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repositories_of
from visual_review.repositories.retention import Limits, limits_of, retention_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExpiredItem:
    """A build or recording that is past its time.

    ``before`` is what it is older than; None for what stays for good but was half deleted.
    """

    kind: str
    id: str
    repository: str
    name: str
    created_at: datetime
    before: datetime | None


@dataclass(frozen=True)
class Unused:
    """What nothing names any more in an organization: images, and their bytes."""

    organization: str
    images: int
    bytes: int


@dataclass(frozen=True)
class SweepResult:
    builds: int = 0
    recordings: int = 0
    images: int = 0
    drawn: int = 0


def expired_items(moment: datetime) -> Iterator[ExpiredItem]:
    """The builds and recordings that a sweep at ``moment`` deletes."""
    for organization in Organization.objects.order_by("name", "id"):
        retention = retention_of(organization.id)
        for repository in repositories_of(organization.id):
            yield from _expired_items_of(repository, limits_of(repository, retention, moment))


def _expired_items_of(repository: Repository, limits: Limits) -> Iterator[ExpiredItem]:
    name = repository.full_name
    for build in past_builds(repository, limits.builds_before):
        label = f"#{build.number} {build.branch}"
        yield ExpiredItem("build", build.id, name, label, build.created_at, limits.builds_before)
    if limits.recordings_before is not None:
        before = limits.recordings_before
        for row in past_recordings(repository, before).iterator():
            yield ExpiredItem("recording", row.id, name, row.title, row.created_at, before)


def unused(moment: datetime) -> Iterator[Unused]:
    """What no build names at this moment and a sweep deletes; more once builds have gone."""
    for organization in Organization.objects.order_by("name", "id"):
        found = unused_images(organization.id, _images_before(organization.id, moment))
        total = found.aggregate(total=Sum("size"))["total"] or 0
        yield Unused(organization.name, found.count(), total)


def sweep(moment: datetime, blobs: BlobStore) -> SweepResult:
    """Delete all of it. May be cut anywhere and run again, and run beside uploads."""
    # Rows first: what only they named is unused afterwards.
    found = list(expired_items(moment))
    builds = sum(delete_expired_build(it.id, it.before) for it in found if it.kind == "build")
    recordings = sum(retire_recording(it.id) for it in found if it.kind == "recording")
    images = drawn = 0
    for organization in Organization.objects.order_by("id"):
        before = _images_before(organization.id, moment)
        images += delete_all_unused(organization.id, before, blobs)
        for repository in repositories_of(organization.id):
            drawn += delete_rendered_before(repository, before, blobs)
    return SweepResult(builds, recordings, images, drawn)


def _images_before(organization_id: str, moment: datetime) -> datetime:
    return moment - timedelta(days=retention_of(organization_id).images_days)


@app.periodic(cron="20 2 * * *")
@app.task(name="sweep_retention", queue="upkeep", queueing_lock="sweep_retention")
def sweep_retention(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs are told their time.
    swept = sweep(now(), blob_store())
    if swept != SweepResult():
        logger.info(
            "%s builds, %s recordings, %s images and %s drawn pictures were past their time",
            swept.builds,
            swept.recordings,
            swept.images,
            swept.drawn,
        )
