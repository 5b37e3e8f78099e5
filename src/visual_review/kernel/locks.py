"""Mutual exclusion across processes, by PostgreSQL's session-level advisory locks."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from django.db import DatabaseError, connection

# The first half of the lock's key; the second is a hash of the name.
LOCK_NAMESPACE: Final = 0x5654
# The first half of the lock's key; the second is a hash of the blob's key.
BLOB_LOCK: Final = 0x5652


@contextmanager
def lock_for_storing(keys: Collection[str]) -> Iterator[None]:
    """Hold the shared locks of these blobs while their bytes and rows are written.

    Waits only while another caller deletes one of the same blobs.
    """
    with _hold_locks("pg_advisory{}_lock_shared", "pg_advisory_unlock_shared", keys):
        yield


@contextmanager
def lock_for_deleting(keys: Collection[str]) -> Iterator[set[str]]:
    """Hold the exclusive locks of those blobs that no one stores now; yields their keys.

    Never waits: a blob that is being stored at this moment is left out.
    """
    with _hold_locks("pg_try_advisory{}_lock", "pg_advisory_unlock", keys) as held:
        yield held


@contextmanager
def _hold_locks(lock: str, unlock: str, keys: Collection[str]) -> Iterator[set[str]]:
    if connection.in_atomic_block:
        # A failed transaction could not release session locks; these end with it.
        yield _call_for_each(lock.format("_xact"), keys)
        return
    try:
        held = _call_for_each(lock.format(""), keys)
    except DatabaseError:
        # Some of the locks may be held. They end with the connection.
        connection.close()
        raise
    try:
        yield held
    finally:
        _call_for_each(unlock, held)


def _call_for_each(function: str, keys: Collection[str]) -> set[str]:
    """Call the function with each key; return the keys for which it did not return false."""
    # If two keys share a hash, one of them only has to wait.
    statement = f"SELECT key, {function}(%s, hashtext(key))::text FROM unnest(%s::text[]) AS key"  # noqa: S608 - A constant of this module.
    with connection.cursor() as cursor:
        cursor.execute(statement, [BLOB_LOCK, list(keys)])
        return {key for key, returned in cursor.fetchall() if returned != "false"}


@contextmanager
def advisory_lock(name: str) -> Iterator[bool]:
    """Try to take the lock ``name`` for the block; yields False if another caller has it.

    It is released with the block or the process. Network calls are allowed meanwhile.
    """
    if connection.in_atomic_block:
        # A failed transaction could not release a session lock; this one ends with it.
        yield _call("pg_try_advisory_xact_lock", LOCK_NAMESPACE, name)
        return
    if not _call("pg_try_advisory_lock", LOCK_NAMESPACE, name):
        yield False
        return
    try:
        yield True
    finally:
        _call("pg_advisory_unlock", LOCK_NAMESPACE, name)


def _call(function: str, namespace: int, name: str) -> bool:
    """Return whether the function says that it took or released the lock."""
    with connection.cursor() as cursor:
        # If two names share a hash, one of them only has to wait.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [namespace, name])
        row: tuple[object] = cursor.fetchone()
    return row[0] is True
