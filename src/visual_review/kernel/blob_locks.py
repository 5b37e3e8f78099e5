"""Keeps a blob from being deleted as unused while it is stored again.

Blobs are named by content, so the same bytes may be stored at the moment they are deleted as
unused. Code that stores takes the lock shared and writes the bytes, then the row; code that
deletes takes it exclusively and deletes bytes without a row. These are session-level advisory
locks of PostgreSQL, since network calls should not be made in a transaction.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

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
        _call(f"pg_advisory_xact_lock{kind}", organization_id)
        yield
        return
    _call(f"pg_advisory_lock{kind}", organization_id)
    try:
        yield
    finally:
        _call(f"pg_advisory_unlock{kind}", organization_id)


def _call(function: str, organization_id: str) -> None:
    with connection.cursor() as cursor:
        # If two organizations share a hash, they only wait for each other.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [BLOB_LOCK, organization_id])
