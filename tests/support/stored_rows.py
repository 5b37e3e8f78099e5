"""Everything that the database stores, to see what a call wrote."""

from collections import Counter

from django.db import connection
from psycopg import sql

from tests.support.saved_rows import filled_tables

# That a key was used is written at most once a minute, and is no effect of an action.
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
