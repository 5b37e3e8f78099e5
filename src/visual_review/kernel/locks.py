"""Mutual exclusion across processes, by PostgreSQL's session-level advisory locks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

# The first half of the lock's key; the second is a hash of the name.
LOCK_NAMESPACE: Final = 0x5654
# The first half of the lock's key; the second is a hash of the organization's ID.
BLOB_LOCK: Final = 0x5652


@contextmanager
def lock_for_storing(organization_id: str) -> Iterator[None]:
    """Hold the shared lock while bytes and their row are written."""
    with _hold_lock("_shared", organization_id):
        yield


@contextmanager
def lock_for_deleting(organization_id: str) -> Iterator[None]:
    """Hold the exclusive lock while bytes without a row are deleted."""
    with _hold_lock("", organization_id):
        yield


@contextmanager
def _hold_lock(kind: str, organization_id: str) -> Iterator[None]:
    if connection.in_atomic_block:
        # A failed transaction could not release a session lock; this one ends with it.
        _call(f"pg_advisory_xact_lock{kind}", BLOB_LOCK, organization_id)
        yield
        return
    _call(f"pg_advisory_lock{kind}", BLOB_LOCK, organization_id)
    try:
        yield
    finally:
        _call(f"pg_advisory_unlock{kind}", BLOB_LOCK, organization_id)


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
