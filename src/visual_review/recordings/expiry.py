"""Uploads that never finished, and bytes that nobody waits for any more."""

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
from visual_review.recordings.keys import INCOMING, STORED, incoming_place, stored_owner
from visual_review.recordings.models import Recording
from visual_review.recordings.states import FAILED, PROCESSING, UPLOADING

KEYS_AT_ONCE = 1000
NEVER_FINISHED = "The upload never finished. Upload the recording again."


def expire_uploads() -> int:
    """End every upload CI has left for ``UPLOAD_EXPIRY_SECONDS``; answers how many."""
    quiet_since = now() - timedelta(seconds=settings.UPLOAD_EXPIRY_SECONDS)
    left = Recording.objects.filter(status=UPLOADING, last_upload_at__lt=quiet_since)
    return sum(_expire(pk, quiet_since) for pk in list(left.values_list("pk", flat=True)))


@transaction.atomic
def _expire(recording_id: str, quiet_since: datetime) -> bool:
    # Somebody who holds the row is just now finishing the upload.
    recording = (
        Recording.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
        .filter(pk=recording_id, status=UPLOADING, last_upload_at__lt=quiet_since)
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
    """Delete uploaded bytes of recordings that take no more; answers how many."""
    waiting = Recording.objects.filter(status__in=(UPLOADING, PROCESSING))
    return _sweep(blobs, INCOMING, _uploader, waiting)


def sweep_stored(blobs: BlobStore) -> int:
    """Delete stored bytes of recordings that are no more; answers how many.

    They stay behind when a worker is killed while somebody else deletes its recording.
    """
    return _sweep(blobs, STORED, _owner, Recording.objects.all())


def _uploader(key: str) -> str | None:
    place = incoming_place(key)
    return place.recording_id if place else None


def _owner(key: str) -> str | None:
    found = stored_owner(key)
    return found[1] if found else None


def _sweep(
    blobs: BlobStore,
    prefix: str,
    owner: Callable[[str], str | None],
    alive: QuerySet[Recording],
) -> int:
    count = 0
    owned = ((key, found) for key in blobs.keys(prefix) if (found := owner(key)) is not None)
    for part in _parts(owned):
        kept = set(alive.filter(pk__in={found for _, found in part}).values_list("pk", flat=True))
        stale = [key for key, found in part if found not in kept]
        blobs.delete(stale)
        count += len(stale)
    return count


def _parts(pairs: Iterable[tuple[str, str]]) -> Iterator[list[tuple[str, str]]]:
    rest = iter(pairs)
    while part := list(islice(rest, KEYS_AT_ONCE)):
        yield part
