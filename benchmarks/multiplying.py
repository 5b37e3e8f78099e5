"""Create many rows: the database fills a table from a sample row and a few expressions."""

from collections.abc import Mapping

from django.db import connection, models
from django.db.models.expressions import DatabaseDefault

NUMBERED = "generate_series(1, {count}) AS n"


def multiply(
    sample: models.Model, count: int, given: Mapping[str, str], source: str = NUMBERED
) -> None:
    """Store ``count`` rows like ``sample``; ``sample`` itself is not stored.

    ``given`` names the differing attributes, each with an SQL expression over ``source``. All
    others keep the sample's value, so that a new column of a model needs no change here.
    """
    names, expressions, values = [], [], []
    about = sample._meta  # noqa: SLF001 - Django documents it for such uses.
    for field in about.concrete_fields:
        expression = given.get(field.attname)
        if expression is None:
            value = getattr(sample, field.attname)
            # The database fills in its own defaults.
            if isinstance(field, models.AutoField) or isinstance(value, DatabaseDefault):
                continue
            expression = "%s"
            values.append(field.get_db_prep_save(value, connection))
        names.append(connection.ops.quote_name(str(field.column)))
        expressions.append(expression)
    table = connection.ops.quote_name(about.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(names)}) "  # noqa: S608 - Our own expressions.
            f"SELECT {', '.join(expressions)} FROM {source.format(count=count)}",
            values,
        )
