"""Insert a row unless another one is there already, decided by the database's constraints."""

from django.db import connection
from django.db.models import Model
from django.db.models.constants import OnConflict
from django.db.models.sql import InsertQuery


def insert_if_absent(row: Model) -> bool:
    """Insert the row; return False if a unique constraint forbids it.

    It waits for a transaction that inserts such a row at this moment, and the caller's transaction
    stays usable.
    """
    fields = row._meta.concrete_fields  # noqa: SLF001 - Django documents it as an interface of models.
    query = InsertQuery(type(row), on_conflict=OnConflict.IGNORE)
    query.insert_values(fields, [row])
    [(statement, parameters)] = query.get_compiler(connection=connection).as_sql()
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        inserted: bool = cursor.rowcount == 1
    return inserted
