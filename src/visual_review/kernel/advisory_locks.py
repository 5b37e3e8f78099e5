"""One at a time, across processes, without a transaction: PostgreSQL's locks of the session."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.db import connection

# The first half of the lock's key; the second is the name's.
LOCK_NAMESPACE: Final = 0x5654


@contextmanager
def advisory_lock(name: str) -> Iterator[bool]:
    """True while this caller alone has the turn of ``name``, False when another one has it.

    It ends with the block, and with a killed process. Network calls may be made meanwhile.
    """
    if connection.in_atomic_block:
        # A failed transaction could not give the session's lock back; this one ends with it.
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
        # Two names may share a hash. Then one of them comes later, and no more.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [LOCK_NAMESPACE, name])
        row: tuple[bool] = cursor.fetchone()
    return row[0]
