"""Deletes expired data nightly, by the retention settings.

The nightly job only finds expired data, and enqueues the deletion in small jobs: the small jobs run
in several slots, organizations take turns, and an interrupted job runs again.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.db.models import Sum
from procrastinate import RetryStrategy
from procrastinate.contrib.django import app

from visual_review.accounts.models import Organization
from visual_review.audit.log import SYSTEM, Change, Target, record
from visual_review.audit.queries import delete_entries_before
from visual_review.builds.images.render_cache import delete_rendered_before
from visual_review.builds.retention.baselines import (
    detached_baselines,
    enqueue_baseline_deletion,
)
from visual_review.builds.retention.builds import (
    BUILDS_AT_ONCE,
    builds_to_delete,
    delete_expired_builds,
)
from visual_review.builds.retention.unused_images import (
    delete_all_unused,
    enqueue_unused,
    unused_images,
)
from visual_review.jobs.hosts.check_branches import enqueue_branch_check
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.queue import enqueue
from visual_review.recordings.models import Recording
from visual_review.recordings.removal import expired_recordings, retire_recording
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repositories_of
from visual_review.repositories.retention import Limits, limits_of, retention_of

DELETE_BUILDS: Final = "delete_expired_builds"
SWEEP_IMAGES: Final = "sweep_unused_images"
LAST: Final = -10
# A statement of this size takes well under a second.
AUDIT_ENTRIES_AT_ONCE: Final = 10_000
# Pauses triple, so the last attempts are days later, when the storage is back.
RETRY = RetryStrategy(max_attempts=12, exponential_wait=3)

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class ExpiredItem:
    """A build or recording past its retention."""

    kind: str
    id: str
    repository: str
    name: str
    created_at: datetime


@dataclass(frozen=True)
class UnusedImages:
    """The number of an organization's unused images, and their bytes."""

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
    """Yield the builds and recordings to delete in a sweep at ``moment``."""
    for organization in Organization.objects.order_by("name", "id"):
        retention = retention_of(organization.id)
        for repository in repositories_of(organization.id):
            yield from _expired_items_of(repository, limits_of(repository, retention, moment))


def _expired_items_of(repository: Repository, limits: Limits) -> Iterator[ExpiredItem]:
    name = repository.full_name
    for build in builds_to_delete(repository, limits.builds_before):
        label = f"#{build.number} {build.branch}"
        yield ExpiredItem("build", build.id, name, label, build.created_at)
    for row in _expired_recordings(repository, limits):
        yield ExpiredItem("recording", row.id, name, row.title, row.created_at)


def _expired_recordings(repository: Repository, limits: Limits) -> Iterator[Recording]:
    if limits.recordings_before is not None:
        yield from expired_recordings(repository, limits.recordings_before).iterator()


def find_unused_images(moment: datetime) -> Iterator[UnusedImages]:
    """Yield the unused images a sweep deletes now; more once expired builds are deleted."""
    for organization in Organization.objects.order_by("name", "id"):
        found = unused_images(organization.id, _images_before(organization.id, moment))
        total = found.aggregate(total=Sum("size"))["total"] or 0
        yield UnusedImages(organization.name, found.count(), total)


def sweep(moment: datetime, blobs: BlobStore) -> SweepResult:
    """Delete all expired data now. May be interrupted and run again, and run during uploads."""
    builds = recordings = images = rendered_images = 0
    for organization in Organization.objects.order_by("id"):
        _delete_old_audit_entries(organization.id, moment)
        # Rows first: images used only by the rows are unused afterwards.
        for repository, limits in _limits_of(organization, moment):
            for ids in _batches_of_builds(repository, limits):
                builds += delete_expired_builds(repository, ids, limits.builds_before)
            recordings += _retire_recordings(repository, limits)
        before = _images_before(organization.id, moment)
        images += delete_all_unused(organization.id, before, blobs)
        for repository in repositories_of(organization.id):
            rendered_images += delete_rendered_before(repository, before, blobs)
    return SweepResult(builds, recordings, images, rendered_images)


def _limits_of(organization: Organization, moment: datetime) -> Iterator[tuple[Repository, Limits]]:
    retention = retention_of(organization.id)
    for repository in repositories_of(organization.id):
        yield repository, limits_of(repository, retention, moment)


def _batches_of_builds(repository: Repository, limits: Limits) -> Iterator[list[str]]:
    ids = [build.id for build in builds_to_delete(repository, limits.builds_before)]
    return (ids[start : start + BUILDS_AT_ONCE] for start in range(0, len(ids), BUILDS_AT_ONCE))


def _retire_recordings(repository: Repository, limits: Limits) -> int:
    ids = [row.id for row in _expired_recordings(repository, limits)]
    return sum(map(retire_recording, ids))


def _delete_old_audit_entries(organization_id: str, moment: datetime) -> None:
    days = retention_of(organization_id).audit_days
    if days is None:
        return
    before = moment - timedelta(days=days)
    while _delete_some_audit_entries(organization_id, before) == AUDIT_ENTRIES_AT_ONCE:
        pass


@transaction.atomic
def _delete_some_audit_entries(organization_id: str, before: datetime) -> int:
    count = delete_entries_before(organization_id, before, AUDIT_ENTRIES_AT_ONCE)
    if count:
        # The log itself says how many entries were deleted.
        after = {"entries": count, "before": rfc3339(before)}
        target = Target("organization", organization_id)
        record(organization_id, SYSTEM, Change("audit.expired", target, after=after))
    return count


def _images_before(organization_id: str, moment: datetime) -> datetime:
    return moment - timedelta(days=retention_of(organization_id).images_days)


@app.periodic(cron="20 2 * * *")
@app.task(name="sweep_retention", queue="upkeep", queueing_lock="sweep_retention")
def sweep_retention(timestamp: int) -> None:  # noqa: ARG001 - Periodic jobs get a timestamp.
    enqueue_deletions(now())


def enqueue_deletions(moment: datetime) -> None:
    """Enqueue the deletion of expired data, some builds for each job."""
    for organization in Organization.objects.order_by("id"):
        _delete_old_audit_entries(organization.id, moment)
        for repository, limits in _limits_of(organization, moment):
            for ids in _batches_of_builds(repository, limits):
                enqueue(
                    DELETE_BUILDS,
                    organization_id=organization.id,
                    repository_id=repository.id,
                    build_ids=ids,
                )
            _retire_recordings(repository, limits)
            _enqueue_baselines(repository, limits)
        _enqueue_images(organization.id)


def _enqueue_baselines(repository: Repository, limits: Limits) -> None:
    if limits.builds_before is not None:
        enqueue_branch_check(repository)
    # Their job may have been lost.
    for baseline in detached_baselines(repository):
        enqueue_baseline_deletion(repository.organization_id, baseline.pk)


def _enqueue_images(organization_id: str) -> None:
    once = f"{SWEEP_IMAGES}:{organization_id}"
    # After the organization's builds, whose images are unused then.
    enqueue(SWEEP_IMAGES, once=once, priority=LAST, organization_id=organization_id)


@app.task(name=DELETE_BUILDS, queue="cleaning", retry=RETRY)
def delete_builds(organization_id: str, repository_id: str, build_ids: list[str]) -> None:
    repository = Repository.objects.filter(pk=repository_id, removed_at=None).first()
    if repository is None:
        return
    # The settings may have been changed since.
    limits = limits_of(repository, retention_of(organization_id), now())
    count = delete_expired_builds(repository, build_ids, limits.builds_before)
    logger.info("retention: %s builds of %s deleted", count, repository.full_name)
    # The job enqueued together with this one may be running already.
    _enqueue_images(organization_id)


@app.task(name=SWEEP_IMAGES, queue="cleaning", retry=RETRY)
def sweep_images(organization_id: str) -> None:
    before = _images_before(organization_id, now())
    enqueue_unused(organization_id, before)
    for repository in repositories_of(organization_id):
        delete_rendered_before(repository, before, blob_store())
