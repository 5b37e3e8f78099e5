"""Storing and deleting the same bytes at the same moment: no row ever refers to missing bytes.

Bytes are stored before their row, and deleted after it. In between, no row protects the bytes, so
each deletion leaves a row: bytes stored during a deletion are stored again. The storage is only
called outside transactions.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, TypeVar

from django.db import connection, transaction

from visual_review.builds.models import BlobDeletion
from visual_review.kernel.blobs import BlobStore
from visual_review.kernel.clock import now
from visual_review.kernel.errors import UnavailableError

Stored = TypeVar("Stored")
Written = TypeVar("Written")
# When the last deletion of each key started and finished.
Deletions = dict[str, tuple[datetime, datetime | None]]
# The first half of the lock's key; the second is a hash of the blob's key.
BLOB_LOCK: Final = 0x5652
# A deletion takes milliseconds, unless the storage is slow or its process was killed.
WAIT_SECONDS: Final = 5.0
POLL_SECONDS: Final = 0.1
# Longer than the storage's client tries again: an older deletion ended with its process.
LONGEST_DELETION: Final = timedelta(minutes=5)
# Longer than anyone takes between storing bytes and writing their row.
KEPT: Final = timedelta(days=1)


def store_with_rows(
    keys: Sequence[str], store: Callable[[], Stored], write: Callable[[Stored], Written]
) -> Written:
    """Call ``store`` for the bytes of the keys, then ``write`` in a transaction, for their rows.

    If bytes were deleted meanwhile, ``store`` is called again. Raises UnavailableError if a
    deletion takes longer than some seconds, and the errors of the two functions.
    """
    while True:
        before = _wait_for_deletions(keys)
        stored = store()
        with transaction.atomic():
            # Waits only while the transaction of a deletion has one of the same keys.
            _lock("pg_advisory_xact_lock_shared", keys)
            if _deletions(keys) == before:
                return write(stored)


def delete_with_rows(
    stored: Mapping[str, Sequence[str]],
    delete_rows: Callable[[Collection[str]], Collection[str]],
    blobs: BlobStore,
) -> None:
    """Call ``delete_rows`` in a transaction, and delete the bytes of the returned names.

    ``stored`` are the keys of the bytes of each name. Never waits: names whose rows are being
    written, or whose bytes another process deletes, are left out. Safe to interrupt and repeat.
    Raises UnavailableError if the storage fails.
    """
    started_at = now()
    with transaction.atomic():
        everything = [key for keys in stored.values() for key in keys]
        free = _lock("pg_try_advisory_xact_lock", everything) - _running(_deletions(everything))
        idle = [name for name, keys in stored.items() if free.issuperset(keys)]
        gone = [key for name in delete_rows(idle) for key in stored[name]]
        BlobDeletion.objects.bulk_create(
            [BlobDeletion(key=key, started_at=started_at) for key in gone],
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["started_at", "finished_at"],
        )
    try:
        blobs.delete(gone)
    finally:
        BlobDeletion.objects.filter(key__in=gone, started_at=started_at).update(finished_at=now())


def forget_old_deletions() -> None:
    BlobDeletion.objects.filter(started_at__lt=now() - KEPT).delete()


def _lock(
    function: Literal["pg_advisory_xact_lock_shared", "pg_try_advisory_xact_lock"],
    keys: Collection[str],
) -> set[str]:
    """Take the lock of each key until the transaction ends; return the keys with a lock."""
    # Two keys with the same hash only wait for each other.
    statement = f"SELECT key, {function}(%s, hashtext(key))::text FROM unnest(%s::text[]) AS key"  # noqa: S608 - A constant of this module.
    with connection.cursor() as cursor:
        cursor.execute(statement, [BLOB_LOCK, list(keys)])
        return {key for key, returned in cursor.fetchall() if returned != "false"}


def _wait_for_deletions(keys: Sequence[str]) -> Deletions:
    """Return the last deletion of each key, as soon as none is running."""
    deadline = time.monotonic() + WAIT_SECONDS
    while _running(found := _deletions(keys)):
        if time.monotonic() > deadline:
            raise UnavailableError(
                "An image with the same content is being deleted at this moment. Try again in a "
                "minute."
            )
        time.sleep(POLL_SECONDS)
    return found


def _running(deletions: Deletions) -> set[str]:
    earliest = now() - LONGEST_DELETION
    return {key for key, (began, ended) in deletions.items() if ended is None and began > earliest}


def _deletions(keys: Collection[str]) -> Deletions:
    rows = BlobDeletion.objects.filter(key__in=keys)
    return {row.key: (row.started_at, row.finished_at) for row in rows}
