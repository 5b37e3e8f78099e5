"""Storage use, as last measured."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from visual_review.kernel.clock import now
from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import StorageUse

MEASURE_STORAGE: Final = "measure_storage"
GROWTH_DAYS: Final = 30
# The list of repositories has all repositories, in the same order.
MOST_SHOWN: Final = 100


@dataclass(frozen=True)
class MeasuredUse:
    """A measurement, and its growth in bytes within ``days`` before."""

    use: StorageUse
    growth: int
    days: int


def enqueue_measuring(organization_id: str) -> None:
    """Queue the measuring of storage use, unless a job is already waiting."""
    lock = f"measure:{organization_id}"
    enqueue(MEASURE_STORAGE, lock=lock, once=lock, organization_id=organization_id)


@transaction.atomic
def add_uses(organization_id: str, uses: Iterable[StorageUse]) -> None:
    """Store a new measurement: one a day is kept, for the time over which growth is shown."""
    moment = now()
    rows = StorageUse.objects.filter(organization_id=organization_id)
    is_old = Q(measured_at__lt=moment - timedelta(days=GROWTH_DAYS))
    rows.filter(is_old | Q(measured_at__date=moment.date())).delete()
    StorageUse.objects.bulk_create(uses)


def total_of(organization_id: str) -> MeasuredUse | None:
    """Return the organization's storage use, or None before the first measurement."""
    rows = StorageUse.objects.filter(organization_id=organization_id, repository=None)
    return next(iter(_measured(rows)), None)


def uses_of(organization_id: str) -> list[MeasuredUse]:
    """Return the storage use of the largest repositories, largest first."""
    rows = StorageUse.objects.filter(
        organization_id=organization_id,
        repository__isnull=False,
        repository__removed_at=None,
    ).select_related("repository")
    found = sorted(_measured(rows), key=lambda each: each.use.total_bytes, reverse=True)
    return found[:MOST_SHOWN]


def _measured(rows: QuerySet[StorageUse]) -> Iterator[MeasuredUse]:
    """Yield the newest measurement of each repository, with the growth since the oldest one."""
    of_each = rows.order_by("repository", "measured_at").distinct("repository")
    oldest = {row.repository_id: row for row in of_each}
    for newest in rows.order_by("repository", "-measured_at").distinct("repository"):
        first = oldest[newest.repository_id]
        days = (newest.measured_at - first.measured_at).days
        yield MeasuredUse(newest, newest.total_bytes - first.total_bytes, days)
