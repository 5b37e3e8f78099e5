"""Expiry of unfinished uploads, and deletion of files no longer used by any recording."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import islice

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from visual_review.audit.log import SYSTEM, Change, record
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.recordings.audit_targets import recording_target
from visual_review.recordings.keys import INCOMING, STORED, owner_of_stored_key, parse_incoming_key
from visual_review.recordings.models import Recording
from visual_review.recordings.states import FAILED, PROCESSING, UPLOADING

KEYS_AT_ONCE = 1000
NEVER_FINISHED = "The upload never finished. Upload the recording again."


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
