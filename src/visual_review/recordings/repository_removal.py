"""Deleting the recordings of a removed repository: the bytes, then the row that names them."""

from typing import Final

from django.db import transaction

from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.recordings.models import LinkedTest, Recording
from visual_review.recordings.removal import delete_hidden
from visual_review.repositories.models import Repository

# A recording is one to a few dozen blobs; a kill loses what was done of one part's rows at most.
ROWS_AT_ONCE: Final = 20
TESTS_AT_ONCE: Final = 500


def delete_some(repository: Repository, blobs: BlobStore) -> bool:
    """Delete some recordings, then the tests they showed; False when there were none left.

    May be cut anywhere: a recording whose bytes are gone is still a row, and found again.
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
    part = list(tests.values_list("pk", flat=True)[:TESTS_AT_ONCE])
    LinkedTest.objects.filter(pk__in=part, recordings=None).delete()
    return bool(part)


def are_left(repository: Repository) -> bool:
    return Recording.objects.filter(repository=repository).exists()
