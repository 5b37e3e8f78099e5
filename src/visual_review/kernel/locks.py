"""Mutual exclusion across processes, by advisory locks of transactions and by leases.

Locks of sessions are not used: a connection pooler gives each transaction another connection.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from django.core.cache import cache
from django.db import connection, transaction

from visual_review.kernel.ids import new_id

# The first half of the lock's key; the second is a hash of the name.
LOCK_NAMESPACE: Final = 0x5654


@dataclass(frozen=True)
class Lease:
    """The right to do something, for ``seconds`` after taking or renewing the lease."""

    name: str
    holder: str
    seconds: int

    def renew(self) -> bool:
        """Extend the lease by its time; return False if another holder has taken the lease."""
        with _exclusive(self.name):
            is_held = self._is_held()
            if is_held:
                cache.set(self.name, self.holder, self.seconds)
        return is_held

    def release(self) -> None:
        with _exclusive(self.name):
            if self._is_held():
                cache.delete(self.name)

    def _is_held(self) -> bool:
        return bool(cache.get(self.name) == self.holder)


@contextmanager
def take_lease(name: str, seconds: int) -> Iterator[Lease | None]:
    """Try to take the lease ``name`` for the block; yields None if another caller has the lease.

    Network calls are allowed meanwhile. The lease of a killed process ends after ``seconds``.
    """
    lease = Lease(name, new_id("lease"), seconds)
    with _exclusive(name):
        is_free = cache.add(name, lease.holder, seconds)
    if not is_free:
        yield None
        return
    try:
        yield lease
    finally:
        lease.release()


def try_advisory_lock(name: str) -> bool:
    """Try to take the lock ``name`` until the transaction ends; False if another caller has it."""
    return call_lock_function("pg_try_advisory_xact_lock", LOCK_NAMESPACE, name)


def call_lock_function(function: str, namespace: int, name: str) -> bool:
    """Call a lock function of PostgreSQL; return whether the lock was taken."""
    if not connection.in_atomic_block:
        raise AssertionError("Without a transaction, the lock would end at once.")
    with connection.cursor() as cursor:
        # Two names with the same hash only wait for each other.
        cursor.execute(f"SELECT {function}(%s, hashtext(%s))", [namespace, name])
        row: tuple[object] = cursor.fetchone()
    return row[0] is True


@contextmanager
def _exclusive(name: str) -> Iterator[None]:
    with transaction.atomic():
        call_lock_function("pg_advisory_xact_lock", LOCK_NAMESPACE, name)
        yield
