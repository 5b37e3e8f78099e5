"""Deleting the recordings of a removed repository: first the files, then their rows."""

from typing import Final

from django.db import transaction

from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.recordings.models import LinkedTest, Recording
from visual_review.recordings.removal import delete_hidden
from visual_review.repositories.models import Repository

# A recording has up to a few dozen blobs; a killed job repeats at most one batch.
ROWS_AT_ONCE: Final = 20
TESTS_AT_ONCE: Final = 500


def delete_some(repository: Repository, blobs: BlobStore) -> bool:
    """Delete some recordings, then their linked tests; False when there were none left.

    May be interrupted: a recording without files still has its row and is found again.
    """
    found = Recording.objects.filter(repository=repository).order_by("id")
    for recording_id in list(found.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        _hide(recording_id)
        delete_hidden(recording_id, blobs)
    return found.exists() or _delete_tests(repository)


@transaction.atomic
def _hide(recording_id: str) -> None:
    rows = Recording.objects.filter(pk=recording_id, deleted_at=None)
    rows.update(deleted_at=now())


@transaction.atomic
def _delete_tests(repository: Repository) -> bool:
    tests = LinkedTest.objects.filter(product__repository=repository)
    batch = list(tests.values_list("pk", flat=True)[:TESTS_AT_ONCE])
    LinkedTest.objects.filter(pk__in=batch, recordings=None).delete()
    return bool(batch)


def are_left(repository: Repository) -> bool:
    return Recording.objects.filter(repository=repository).exists()
