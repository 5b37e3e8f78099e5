"""Queries that Django compiles once. For a small result, compiling takes longer than all the rest."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import starmap
from typing import Any, Generic, TypeVar, cast

from django.db import InterfaceError, OperationalError, connection
from django.db.models import QuerySet

from visual_review.kernel.postgresql.base import DatabaseWrapper

RowT = TypeVar("RowT")


class Parameter(str):
    """The name of a value in a compiled query; a string, so that Django's fields accept it."""

    __slots__ = ()


class CompiledQuery(Generic[RowT]):
    """A query whose parameters are strings; its statement is prepared in each connection.

    ``build`` returns the query as a list of values, with a Parameter in the place of each value
    that changes from call to call; ``row`` makes a row of its columns.
    """

    def __init__(
        self,
        row: Callable[..., RowT],
        build: Callable[[], QuerySet[Any, tuple[Any, ...]]],
    ) -> None:
        self._row = row
        self._build = build

    def fetch(self, **values: str) -> list[RowT]:
        """Return the rows for these values of the parameters."""
        return self._execute(values)

    def fetch_first(self, limit: int, **values: str) -> list[RowT]:
        """Return the first ``limit`` rows for these values of the parameters."""
        return self._execute(values, limit)

    def first(self, **values: str) -> RowT | None:
        """Return the first row, or None."""
        return next(iter(self._execute(values)), None)

    def _execute(self, values: Mapping[str, str], limit: int | None = None) -> list[RowT]:
        sql, parameters = self._compiled
        found = [values[each] if isinstance(each, Parameter) else each for each in parameters]
        if limit is not None:
            sql, found = f"{sql} LIMIT %s", [*found, limit]
        try:
            rows = _fetch_all(sql, found)
        except (OperationalError, InterfaceError):
            # The server may have ended the connection after it was checked: this query changes
            # nothing, so it runs once more in a new one.
            connected = connection.connection is not None
            if not connected or connection.in_atomic_block or connection.is_usable():
                raise
            connection.close()
            rows = _fetch_all(sql, found)
        return list(starmap(self._row, rows))

    @cached_property
    def _compiled(self) -> tuple[str, tuple[Any, ...]]:
        return self._build().query.sql_with_params()


def _fetch_all(sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with cast("DatabaseWrapper", connection).prepared_cursor() as cursor:
        cursor.execute(sql, parameters)
        return cast("list[tuple[Any, ...]]", cursor.fetchall())
