"""The statements sent to the database by a piece of work: count them, or act between them."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

# Transactions are counted apart; the health check belongs to the connection.
_NOT_COUNTED = re.compile(r"(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE SAVEPOINT)\b|SELECT 1$")


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Fill a list with the statements of the block, at its end.

    Left out are statements that begin and end transactions, and the connection's health check.
    """
    found: list[str] = []
    with CaptureQueriesContext(connection) as captured:
        yield found
    texts = (each["sql"] for each in captured.captured_queries)
    found += [text for text in texts if text and not _NOT_COUNTED.match(text)]


@contextmanager
def interrupted(marks: str, interrupt: Callable[[], object]) -> Iterator[None]:
    """Act before the block's first statement with ``marks``, like another process."""
    interrupted_already = False

    def wrapper(execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:  # noqa: ANN401 - Django's own.
        nonlocal interrupted_already
        if marks in sql and not interrupted_already:
            interrupted_already = True
            interrupt()
        return execute(sql, *arguments)

    with connection.execute_wrapper(wrapper):
        yield
    assert interrupted_already, f"There was no statement with {marks}."
