"""Deletes nightly what is older than the retention settings allow. Baselines never expire."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Sum
from procrastinate.contrib.django import app

from visual_review.accounts.models import Organization
from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.audit.queries import delete_entries_before
from visual_review.builds.images.render_cache import delete_rendered_before
from visual_review.builds.retention.builds import builds_to_delete, delete_expired_build
from visual_review.builds.retention.unused_images import delete_all_unused, unused_images
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now, rfc3339
from visual_review.recordings.retention import expired_recordings, retire_recording
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repositories_of
from visual_review.repositories.retention import Limits, limits_of, retention_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExpiredItem:
    """A build or recording that is older than its retention.

    ``before`` is the cutoff; None without a limit, to finish an interrupted deletion.
    """

    kind: str
    id: str
    repository: str
    name: str
    created_at: datetime
    before: datetime | None


@dataclass(frozen=True)
class UnusedImages:
    """How many images of an organization nothing refers to, and their bytes."""

    organization: str
    images: int
    bytes: int


@dataclass(frozen=True)
class SweepResult:
    builds: int = 0
    recordings: int = 0
    images: int = 0
    rendered_images: int = 0


def expired_items(moment: datetime) -> Iterator[ExpiredItem]:
    """Yield the builds and recordings that a sweep at ``moment`` deletes."""
    for organization in Organization.objects.order_by("name", "id"):
        retention = retention_of(organization.id)
        for repository in repositories_of(organization.id):
            yield from _expired_items_of(repository, limits_of(repository, retention, moment))


def _expired_items_of(repository: Repository, limits: Limits) -> Iterator[ExpiredItem]:
    name = repository.full_name
    for build in builds_to_delete(repository, limits.builds_before):
        label = f"#{build.number} {build.branch}"
        yield ExpiredItem("build", build.id, name, label, build.created_at, limits.builds_before)
    if limits.recordings_before is not None:
        before = limits.recordings_before
        for row in expired_recordings(repository, before).iterator():
            yield ExpiredItem("recording", row.id, name, row.title, row.created_at, before)


def find_unused_images(moment: datetime) -> Iterator[UnusedImages]:
    """Yield the unused images a sweep deletes now; more once expired builds are deleted."""
    for organization in Organization.objects.order_by("name", "id"):
        found = unused_images(organization.id, _images_before(organization.id, moment))
        total = found.aggregate(total=Sum("size"))["total"] or 0
        yield UnusedImages(organization.name, found.count(), total)


def sweep(moment: datetime, blobs: BlobStore) -> SweepResult:
    """Delete all of it. May be interrupted and run again, and run during uploads."""
    # Rows first: images that only they refer to are unused afterwards.
    found = list(expired_items(moment))
    builds = sum(delete_expired_build(it.id, it.before) for it in found if it.kind == "build")
    recordings = sum(retire_recording(it.id) for it in found if it.kind == "recording")
    images = rendered_images = 0
    for organization in Organization.objects.order_by("id"):
        _delete_old_audit_entries(organization.id, moment)
        before = _images_before(organization.id, moment)
        images += delete_all_unused(organization.id, before, blobs)
        for repository in repositories_of(organization.id):
            rendered_images += delete_rendered_before(repository, before, blobs)
    return SweepResult(builds, recordings, images, rendered_images)


def _delete_old_audit_entries(organization_id: str, moment: datetime) -> None:
    days = retention_of(organization_id).audit_days
    if days is None:
        return
    before = moment - timedelta(days=days)
    with transaction.atomic():
        if count := delete_entries_before(organization_id, before):
            # The log says itself that it once had more.
            after = {"entries": count, "before": rfc3339(before)}
            target = Target("organization", organization_id)
            record(organization_id, SYSTEM, Change("audit.expired", target, after=after))


def _images_before(organization_id: str, moment: datetime) -> datetime:
    return moment - timedelta(days=retention_of(organization_id).images_days)


@app.periodic(cron="20 2 * * *")
@app.task(name="sweep_retention", queue="upkeep", queueing_lock="sweep_retention")
def sweep_retention(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    deleted = sweep(now(), blob_store())
    if deleted != SweepResult():
        logger.info(
            "retention: %s builds, %s recordings, %s images and %s rendered images deleted",
            deleted.builds,
            deleted.recordings,
            deleted.images,
            deleted.rendered_images,
        )
