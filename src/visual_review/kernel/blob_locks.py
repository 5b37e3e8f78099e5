"""Keeps storing a blob and deleting it apart, where a row beside it says whether it is needed.

Blobs are named by content, so the same bytes may be stored again at the very moment they are
deleted as unused. Whoever stores takes the guard shared around "bytes, then row"; whoever
deletes takes it alone around "no row? then bytes". Network calls belong in no transaction,
hence locks of the session (PostgreSQL's advisory locks, which end with a killed process).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

# The first half of the lock's key; the second is the organization's.
BLOB_LOCK: Final = 0x5652


@contextmanager
def storing(organization_id: str) -> Iterator[None]:
    """Held while bytes and their row are written; any number of callers at once."""
    with _held("_shared", organization_id):
        yield


@contextmanager
def deleting(organization_id: str) -> Iterator[None]:
    """Held while bytes without a row are deleted; waits for those who store, and they for it."""
    with _held("", organization_id):
        yield


@contextmanager
def _held(kind: str, organization_id: str) -> Iterator[None]:
    if connection.in_atomic_block:
        # A failed transaction could not give the session's lock back; this one ends with it.
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
        # Two organizations may share a hash. Then they wait for each other at times, and no more.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [BLOB_LOCK, organization_id])
