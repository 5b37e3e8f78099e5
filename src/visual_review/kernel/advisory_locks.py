"""Mutual exclusion across processes, by PostgreSQL's session-level advisory locks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

# The first half of the lock's key; the second is a hash of the name.
LOCK_NAMESPACE: Final = 0x5654


@contextmanager
def advisory_lock(name: str) -> Iterator[bool]:
    """Try to take the lock ``name`` for the block; yields False if another caller has it.

    It is released with the block or the process. Network calls are allowed meanwhile.
    """
    if connection.in_atomic_block:
        # A failed transaction could not release a session lock; this one ends with it.
        yield _call("pg_try_advisory_xact_lock", name)
        return
    if not _call("pg_try_advisory_lock", name):
        yield False
        return
    try:
        yield True
    finally:
        _call("pg_advisory_unlock", name)


def _call(function: str, name: str) -> bool:
    with connection.cursor() as cursor:
        # If two names share a hash, one of them only has to wait.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [LOCK_NAMESPACE, name])
        row: tuple[bool] = cursor.fetchone()
    return row[0]
