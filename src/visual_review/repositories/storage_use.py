"""Storage use, as it was last measured."""

from collections.abc import Iterable
from typing import Final

from django.db import transaction

from visual_review.kernel.queue import enqueue
from visual_review.repositories.models import StorageUse

MEASURE_STORAGE: Final = "measure_storage"


def enqueue_measuring(organization_id: str) -> None:
    """Queue the measuring of storage use, unless a job for it is waiting already."""
    lock = f"measure:{organization_id}"
    enqueue(MEASURE_STORAGE, lock=lock, once=lock, organization_id=organization_id)


@transaction.atomic
def replace_uses(organization_id: str, uses: Iterable[StorageUse]) -> None:
    StorageUse.objects.filter(organization_id=organization_id).delete()
    StorageUse.objects.bulk_create(uses)


def total_of(organization_id: str) -> StorageUse | None:
    """Return the organization's storage use, or None before it was first measured."""
    return StorageUse.objects.filter(organization_id=organization_id, repository=None).first()


def uses_of(organization_id: str) -> list[StorageUse]:
    """Return the storage use of the organization's repositories, largest first."""
    rows = StorageUse.objects.filter(
        organization_id=organization_id,
        repository__isnull=False,
        repository__removed_at=None,
    ).select_related("repository")
    return sorted(rows, key=lambda use: use.total_bytes, reverse=True)
