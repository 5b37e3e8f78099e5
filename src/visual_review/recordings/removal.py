"""Deleting recordings, expired ones too: hidden at once, then a job deletes files and row.

The row is deleted last, so an interrupted job finds the recording again and continues.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.queue import enqueue
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.blob_keys import (
    INCOMING,
    STORED,
    incoming_folder,
    owner_of_stored_key,
    parse_incoming_key,
    stored_folder,
)
from visual_review.recordings.models import LinkedTest, Recording
from visual_review.recordings.states import FAILED, PROCESSING, READY, UPLOADING
from visual_review.repositories.models import Repository

DELETE_RECORDING: Final = "delete_recording"
# A recording has up to a few dozen blobs; a killed job repeats at most one batch.
ROWS_AT_ONCE: Final = 20
TESTS_AT_ONCE: Final = 500
VERB: Final = "recording.retired"
ENDED: Final = (READY, FAILED)
KEYS_AT_ONCE = 1000
NEVER_FINISHED = "The upload never finished. Upload the recording again."


def hide(recording: Recording) -> None:
    """Hide the locked row, and queue the deletion of its files."""
    recording.deleted_at = now()
    recording.save(update_fields=["deleted_at"])
    enqueue_deletion(recording)


def enqueue_deletion(recording: Recording) -> None:
    """Queue the deletion of a hidden recording, unless a job for the recording is waiting."""
    # The lock makes the job wait for another job processing the same recording.
    enqueue(
        DELETE_RECORDING,
        lock=recording.id,
        once=f"{DELETE_RECORDING}:{recording.id}",
        recording_id=recording.id,
        repository_id=recording.repository_id,
    )


def delete_hidden(recording_id: str, blobs: BlobStore) -> None:
    """Delete video, attachments, parts, and then the row."""
    recording = (
        Recording.objects.filter(pk=recording_id, deleted_at__isnull=False)
        .select_related("repository")
        .first()
    )
    if recording is None:
        return
    delete_uploads(recording, blobs)
    delete_bytes(recording.repository.organization_id, recording.id, blobs)
    with transaction.atomic():
        # Announcing takes the same lock, so a recording announced now keeps its test.
        Repository.objects.select_for_update(no_key=True).get(pk=recording.repository_id)
        test_id = recording.test_id
        recording.delete()
        # A test without recordings is not needed any more.
        LinkedTest.objects.filter(pk=test_id, recordings=None).delete()


def delete_uploads(recording: Recording, blobs: BlobStore) -> None:
    _delete_folder(incoming_folder(recording.repository.organization_id, recording.id), blobs)


def delete_bytes(organization_id: str, recording_id: str, blobs: BlobStore) -> None:
    """Delete all stored files of a recording, including files without a row."""
    _delete_folder(stored_folder(organization_id, recording_id), blobs)


def _delete_folder(folder: str, blobs: BlobStore) -> None:
    blobs.delete(list(blobs.keys(folder)))


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


def expired_recordings(repository: Repository, before: datetime) -> QuerySet[Recording]:
    """Return the recordings older than ``before``, without recordings still in progress."""
    rows = Recording.objects.filter(
        repository=repository, created_at__lt=before, status__in=ENDED, deleted_at=None
    )
    return rows.order_by("created_at", "id")


@transaction.atomic
def retire_recording(recording_id: str) -> bool:
    """Hide a recording, write an audit entry, and queue its deletion."""
    rows = Recording.objects.select_for_update(of=("self",)).select_related("repository")
    found = rows.filter(pk=recording_id, status__in=ENDED, deleted_at=None).first()
    if found is None:
        return False
    hide(found)
    change = Change(
        VERB,
        recording_target(found),
        before={"title": found.title, "createdAt": rfc3339(found.created_at)},
    )
    record(found.repository.organization_id, SYSTEM, change)
    return True


def expire_uploads() -> int:
    """End uploads without progress for ``UPLOAD_EXPIRY_SECONDS``; return their number."""
    idle_since = now() - timedelta(seconds=settings.UPLOAD_EXPIRY_SECONDS)
    idle = Recording.objects.filter(status=UPLOADING, last_upload_at__lt=idle_since)
    return sum(_expire(pk, idle_since) for pk in list(idle.values_list("pk", flat=True)))


@transaction.atomic
def _expire(recording_id: str, idle_since: datetime) -> bool:
    # If the row is locked, the upload is being finished right now.
    recording = (
        Recording.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(pk=recording_id, status=UPLOADING, last_upload_at__lt=idle_since)
        .select_related("repository")
        .first()
    )
    if recording is None:
        return False
    recording.status, recording.failure, recording.finished_at = FAILED, NEVER_FINISHED, now()
    recording.save(update_fields=["status", "failure", "finished_at"])
    change = Change(
        "recording.failed",
        recording_target(recording),
        before={"status": UPLOADING},
        after={"status": FAILED, "failure": NEVER_FINISHED},
    )
    record(recording.repository.organization_id, SYSTEM, change)
    return True


def sweep_uploads(blobs: BlobStore) -> int:
    """Delete uploaded blobs of recordings whose upload has ended; returns how many."""
    unprocessed = Recording.objects.filter(status__in=(UPLOADING, PROCESSING))
    return _sweep(blobs, INCOMING, _owner_of_upload, unprocessed)


def sweep_stored(blobs: BlobStore) -> int:
    """Delete stored blobs of recordings that no longer exist; return their number.

    A worker killed while deleting a recording leaves such blobs.
    """
    return _sweep(blobs, STORED, _owner_of_stored, Recording.objects.all())


def _owner_of_upload(key: str) -> str | None:
    upload = parse_incoming_key(key)
    return upload.recording_id if upload else None


def _owner_of_stored(key: str) -> str | None:
    found = owner_of_stored_key(key)
    return found[1] if found else None


def _sweep(
    blobs: BlobStore,
    prefix: str,
    owner: Callable[[str], str | None],
    owners: QuerySet[Recording],
) -> int:
    count = 0
    owned = ((key, found) for key in blobs.keys(prefix) if (found := owner(key)) is not None)
    for part in _parts(owned):
        kept = set(owners.filter(pk__in={found for _, found in part}).values_list("pk", flat=True))
        stale = [key for key, found in part if found not in kept]
        blobs.delete(stale)
        count += len(stale)
    return count


def _parts(pairs: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    rest = iter(pairs)
    while part := list(islice(rest, KEYS_AT_ONCE)):
        yield part
