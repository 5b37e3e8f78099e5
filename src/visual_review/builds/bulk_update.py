"""Update or insert many rows, each with its own values, in one statement.

Django's bulk_update writes a CASE per row and column, which takes minutes for a build of 12,000
screenshots; PostgreSQL joins arrays in a fraction of a second.
"""

from collections.abc import Sequence
from typing import Final

from django.db import connection
from django.db.models import Model
from psycopg import sql

# A statement of this size takes milliseconds and little memory; larger ones gain nothing.
BATCH_SIZE: Final = 1000


def update_rows(rows: Sequence[Model], fields: Sequence[str]) -> None:
    """Write ``fields`` of every row; all rows are of one model and have an ``id``."""
    for start in range(0, len(rows), BATCH_SIZE):
        _update(rows[start : start + BATCH_SIZE], fields)


def _update(rows: Sequence[Model], fields: Sequence[str]) -> None:
    meta = rows[0]._meta  # noqa: SLF001 - Django documents it as an interface of models.
    by_name = {field.name: field for field in meta.concrete_fields}
    columns = [by_name["id"], *(by_name[name] for name in fields)]
    names = [sql.Identifier(str(field.column)) for field in columns]
    # unnest needs explicit types: arrays of nulls or strings do not imply a type.
    types = [sql.SQL(f"%s::{field.db_type(connection)}[]") for field in columns]
    statement = sql.SQL(
        "UPDATE {table} AS t SET {values} FROM unnest({arrays}) AS d({names}) WHERE t.{key} = d.{key}"
    ).format(
        table=sql.Identifier(meta.db_table),
        values=sql.SQL(", ").join(sql.SQL("{0} = d.{0}").format(name) for name in names[1:]),
        arrays=sql.SQL(", ").join(types),
        names=sql.SQL(", ").join(names),
        key=names[0],
    )
    arrays = [
        [field.get_db_prep_save(getattr(row, field.attname), connection) for row in rows]
        for field in columns
    ]
    with connection.cursor() as cursor:
        cursor.execute(statement, arrays)


def insert_rows(
    model: type[Model], fields: Sequence[str], rows: Sequence[Sequence[object]]
) -> None:
    """Insert rows of values in the order of ``fields``; none has a default."""
    for start in range(0, len(rows), BATCH_SIZE):
        _insert(model, fields, rows[start : start + BATCH_SIZE])


def _insert(model: type[Model], fields: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    meta = model._meta  # noqa: SLF001 - As above.
    by_name = {field.name: field for field in meta.concrete_fields}
    columns = [by_name[name] for name in fields]
    types = [sql.SQL(f"%s::{field.db_type(connection)}[]") for field in columns]
    statement = sql.SQL("INSERT INTO {table} ({names}) SELECT * FROM unnest({arrays})").format(
        table=sql.Identifier(meta.db_table),
        names=sql.SQL(", ").join([sql.Identifier(str(field.column)) for field in columns]),
        arrays=sql.SQL(", ").join(types),
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, [list(values) for values in zip(*rows, strict=True)])
