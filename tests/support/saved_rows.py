"""Rows written once, for later tests to insert again with one statement.

Django needs a millisecond of CPU time per statement, and building a scene sends hundreds.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TypeVar

from django.db import connection
from psycopg import sql

from visual_review.kernel.clock import now

T = TypeVar("T")
# Triggers of the queue write these rows with the jobs.
WRITTEN_BY_TRIGGERS = frozenset({"procrastinate_events"})
# Position and writer of a row: another version of the row has other values.
Version = tuple[str, str]


@dataclass(frozen=True)
class Column:
    name: str
    is_time: bool


@dataclass(frozen=True)
class SavedTable:
    name: str
    columns: tuple[Column, ...]
    rows: str
    """A JSON array of objects."""

    def insertion(self) -> sql.Composed:
        """Return a statement with the parameters ``shift`` and, for the rows, the table's name."""
        names = [sql.Identifier(column.name) for column in self.columns]
        values = [
            sql.SQL("{} + %(shift)s").format(name) if column.is_time else name
            for name, column in zip(names, self.columns, strict=True)
        ]
        return sql.SQL(
            "INSERT INTO {table} ({names}) SELECT {values}"
            " FROM json_populate_recordset(NULL::{table}, {rows})"
        ).format(
            table=sql.Identifier(self.name),
            names=sql.SQL(", ").join(names),
            values=sql.SQL(", ").join(values),
            rows=sql.Placeholder(self.name),
        )


@dataclass(frozen=True)
class SavedRows:
    """Rows of any tables in their state at ``saved_at``."""

    tables: tuple[SavedTable, ...]
    saved_at: datetime

    def insert(self) -> None:
        """Insert the rows again, with the same age as at ``saved_at``."""
        if not self.tables:
            return
        statements = sql.SQL("; ").join(table.insertion() for table in self.tables)
        values: dict[str, object] = {table.name: table.rows for table in self.tables}
        with connection.cursor() as cursor:
            cursor.execute(statements, {**values, "shift": now() - self.saved_at})


def save_rows_of(build: Callable[[], T]) -> tuple[T, SavedRows]:
    """Run ``build``, and save the added rows; ``build`` may only add rows."""
    before = _versions(filled_tables())
    built = build()
    after = _versions(filled_tables())
    for table, versions in before.items():
        assert versions <= after.get(table, set()), f"It changed rows of {table}."
    tables = [
        _saved_table(table, versions - before.get(table, set()))
        for table, versions in sorted(after.items())
        if table not in WRITTEN_BY_TRIGGERS and versions - before.get(table, set())
    ]
    return built, SavedRows(tuple(tables), now())


def filled_tables() -> list[str]:
    """Return the names of tables with rows."""
    questions = [
        sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(table, sql.Identifier(table))
        for table in _tables()
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(" UNION ALL ").join(questions))
        return [row[0] for row in cursor.fetchall()]


@cache
def _tables() -> tuple[str, ...]:
    with connection.cursor() as cursor:
        return tuple(connection.introspection.table_names(cursor))


def _versions(tables: Iterable[str]) -> dict[str, set[Version]]:
    found: dict[str, set[Version]] = {}
    with connection.cursor() as cursor:
        for table in tables:
            query = sql.SQL("SELECT ctid::text, xmin::text FROM {}")
            cursor.execute(query.format(sql.Identifier(table)))
            found[table] = set(cursor.fetchall())
    return found


def _saved_table(table: str, versions: set[Version]) -> SavedTable:
    query = sql.SQL("SELECT json_agg(t)::text FROM {} t WHERE ctid = ANY(%s::tid[])")
    with connection.cursor() as cursor:
        cursor.execute(query.format(sql.Identifier(table)), [[ctid for ctid, _ in versions]])
        (rows,) = cursor.fetchone()
    return SavedTable(table, _columns(table), rows)


@cache
def _columns(table: str) -> tuple[Column, ...]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = %s AND is_generated = 'NEVER'"
            " ORDER BY ordinal_position",
            [table],
        )
        return tuple(
            Column(name, kind == "timestamp with time zone") for name, kind in cursor.fetchall()
        )


# The use of a key is written at most once a minute, and is no effect of an action.
USE_OF_KEYS = "last_used_at"


def stored_rows() -> Counter[tuple[str, str]]:
    """Return each row as JSON with its table."""
    query = sql.SQL("SELECT {name}, (to_jsonb(t) - {ignored})::text FROM {table} t")
    statements = [
        query.format(
            name=sql.Literal(name), ignored=sql.Literal(USE_OF_KEYS), table=sql.Identifier(name)
        )
        for name in filled_tables()
    ]
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL(" UNION ALL ").join(statements))
        return Counter(cursor.fetchall())


def dump_all_tables() -> str:
    """Return all rows of all tables as text."""
    with connection.cursor() as cursor:
        rows: list[str] = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" t')  # noqa: S608 - Names of our tables.
            rows += [row[0] for row in cursor.fetchall()]
    return "\n".join(rows)
