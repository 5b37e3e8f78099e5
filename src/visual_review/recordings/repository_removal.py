"""Deleting the recordings of a removed repository: the bytes, then the row that names them."""

from typing import Final

from django.db import transaction

from visual_review.kernel.blobs import BlobStore
from visual_review.recordings.models import LinkedTest, Recording
from visual_review.recordings.places import incoming_folder, stored_folder
from visual_review.repositories.models import Repository

# A recording is one to a few dozen blobs; a kill loses what was done of one part's rows at most.
ROWS_AT_ONCE: Final = 20
TESTS_AT_ONCE: Final = 500


def delete_some(repository: Repository, blobs: BlobStore) -> bool:
    """Delete some recordings, then the tests they showed; False when there were none left.

    May be cut anywhere: a recording whose bytes are gone is still a row, and found again.
    """
    organization_id = repository.organization_id
    found = Recording.objects.filter(repository=repository).order_by("id")
    for recording_id in list(found.values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        delete_whole(organization_id, recording_id, blobs)
    if found.exists():
        return True
    return _delete_tests(repository)


def delete_whole(organization_id: str, recording_id: str, blobs: BlobStore) -> None:
    """Delete all bytes of a recording, then its row; may be cut and run again."""
    for folder in (incoming_folder, stored_folder):
        blobs.delete(list(blobs.keys(folder(organization_id, recording_id))))
    _delete_row(recording_id)


@transaction.atomic
def _delete_row(recording_id: str) -> None:
    Recording.objects.filter(pk=recording_id).delete()


@transaction.atomic
def _delete_tests(repository: Repository) -> bool:
    tests = LinkedTest.objects.filter(product__repository=repository)
    part = list(tests.values_list("pk", flat=True)[:TESTS_AT_ONCE])
    LinkedTest.objects.filter(pk__in=part, recordings=None).delete()
    return bool(part)


def are_left(repository: Repository) -> bool:
    return Recording.objects.filter(repository=repository).exists()
