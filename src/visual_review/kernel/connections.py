"""A thread's connection to the database, from a pool shared by the threads of a process."""

from django.conf import settings
from django.db import connection


def release_connection() -> None:
    """Return this thread's connection to the pool before a wait, unless a transaction needs it.

    The next query takes another connection. Otherwise a thread waiting for other services or for
    memory would keep the connection from threads with work for the database.
    """
    # Checks before the start of a process have no settings yet, so no connection either.
    if not settings.configured or connection.connection is None:
        return
    if not connection.in_atomic_block:
        connection.close()
