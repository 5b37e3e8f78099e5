"""What lies in the database, to search it for secrets."""

from django.db import connection


def everything_stored() -> str:
    """All rows of all tables, as text."""
    with connection.cursor() as cursor:
        rows: list[str] = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT t::text FROM "{table}" t')  # noqa: S608 - Names of our tables.
            rows += [row[0] for row in cursor.fetchall()]
    return "\n".join(rows)
