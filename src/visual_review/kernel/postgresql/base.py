"""Django's backend for PostgreSQL, for a pool that survives a restart of PostgreSQL."""

from typing import Any

from django.db.backends.postgresql import base
from psycopg import OperationalError
from psycopg_pool import ConnectionPool


class DatabaseWrapper(base.DatabaseWrapper):
    """Checks all idle connections as soon as one connection of the pool is dead.

    The pool's own check waits for a second before the next attempt, and then twice as long each
    time. After a restart of PostgreSQL, each request would wait for that long and fail.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:  # noqa: ANN401 - As in Django.
        connection = super().get_new_connection(conn_params)
        if self.pool is None:
            return connection
        try:
            ConnectionPool.check_connection(connection)
        except OperationalError:
            self.pool.putconn(connection)
            self.pool.check()
            return super().get_new_connection(conn_params)
        return connection
