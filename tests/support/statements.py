"""Count the statements that a piece of work sends to the database."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection
from django.test.utils import CaptureQueriesContext

# Transactions are counted apart; the health check belongs to the connection.
_NOT_COUNTED = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE SAVEPOINT)\b|SELECT 1$")


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Fill a list with the statements of the block, at its end.

    Those that begin and end transactions, and the connection's health check, are left out.
    """
    found: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield found
    texts = (each["sql"] for each in captured.captured_queries)
    found += [text for text in texts if text and not _NOT_COUNTED.match(text)]
