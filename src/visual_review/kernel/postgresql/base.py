"""The database backend of the setting ``ENGINE``; Django demands this module's name."""

import select
import time
from typing import Any, Final, cast

import psycopg
from django.db.backends.postgresql import base
from django.db.backends.postgresql.operations import DatabaseOperations
from django.db.backends.utils import CursorWrapper
from psycopg import pq

# Less than the time after which firewalls forget connections that are idle, without a word.
CHECKED_EVERY_SECONDS: Final = 30.0
# The name in Django's OPTIONS.
PREPARED: Final = "prepared_statements"


class _BinaryCursor(psycopg.Cursor[Any]):
    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        super().__init__(connection)
        self.format = pq.Format.BINARY


class _DatabaseOperations(DatabaseOperations):
    def last_executed_query(self, cursor: object, sql: str, params: object) -> str:
        """Return the statement for Django's log of statements, which tests read."""
        if isinstance(cursor, _BinaryCursor):
            return str(self.compose_sql(sql, params))
        return super().last_executed_query(cursor, sql, params)


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to PostgreSQL, which is checked without a query if it was used a moment ago."""

    ops_class = _DatabaseOperations
    _checked_at = float("-inf")

    def prepared_cursor(self) -> CursorWrapper:
        """Return a cursor whose statements are prepared, and whose results are binary.

        Its parameters are bound by the server, which must be able to infer their types.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            # Django's own method for every cursor, which its type stubs leave out.
            wrapped = self._prepare_cursor(_BinaryCursor(self.connection))  # type: ignore[attr-defined]
            return cast("CursorWrapper", wrapped)

    def get_connection_params(self) -> dict[str, Any]:
        parameters: dict[str, Any] = super().get_connection_params()
        # Not for libpq.
        parameters.pop(PREPARED, None)
        return parameters

    def get_new_connection(self, conn_params: dict[str, Any]) -> "psycopg.Connection[Any]":
        connection: psycopg.Connection[Any] = super().get_new_connection(conn_params)
        # Django's own cursors bind parameters themselves and never prepare a statement.
        connection.prepare_threshold = 0 if self.settings_dict["OPTIONS"].get(PREPARED) else None
        return connection

    def connect(self) -> None:
        super().connect()
        self._checked_at = time.monotonic()

    def is_usable(self) -> bool:
        """Whether the server is still there; Django asks at the first query of a request."""
        # A server that ends or restarts says so to its idle connections, or the system does.
        silent = not (self.errors_occurred or _is_closed_or_readable(self.connection))
        if silent and time.monotonic() - self._checked_at < CHECKED_EVERY_SECONDS:
            return True
        usable = super().is_usable()
        if usable:
            self._checked_at = time.monotonic()
        return bool(usable)


def _is_closed_or_readable(connection: "psycopg.Connection[Any]") -> bool:
    if connection.closed:
        return True
    poller = select.poll()
    poller.register(connection.fileno(), select.POLLIN)
    return bool(poller.poll(0))
