"""Calls with large results, of which a process makes only a few at once.

Each takes tens of megabytes while it is made. Only the call itself can say that it is large, and
by then it has one of few threads: there it must not wait for its turn. So it ends at once, and
the code that gave it the thread makes it again when it is its turn.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

# Fewer take no longer than many other calls do.
LARGE_ROWS: Final = 1000

_deferring: ContextVar[bool] = ContextVar("deferring", default=False)


class LargeCallError(Exception):
    """The call has a large result; make it again when it is its turn. Nothing was changed."""


@contextmanager
def large_calls_deferred(*, deferred: bool = True) -> Iterator[None]:
    """Within the block, calls with large results end with LargeCallError, if ``deferred``."""
    token = _deferring.set(deferred)
    try:
        yield
    finally:
        _deferring.reset(token)


def begin_result(count_rows: Callable[[], int]) -> None:
    """Raise LargeCallError if a result of so many rows must wait; they are counted if needed."""
    if _deferring.get() and count_rows() > LARGE_ROWS:
        raise LargeCallError
